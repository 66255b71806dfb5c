/** The part of Node-RED's runtime that translates texts, with the catalogs of this package. */
import type { NodeAPI } from 'node-red'
import { catalogOf } from './built'

/** Like Node-RED: a text with a count has plural forms, and a key that the catalog does not have is returned. */
export function withCatalogs(language: string): NodeAPI {
  const texts = catalogOf(language)
  const _ = (key: string, params: Record<string, unknown> = {}) =>
    (texts.get(key) ?? texts.get(`${key}_${params.count === 1 ? 'one' : 'other'}`) ?? key).replace(
      /__(\w+)__/g,
      (_all, name: string) => `${params[name]}`,
    )
  return { _ } as unknown as NodeAPI
}
