/** The part of Node-RED's runtime that translates texts, with the catalogs of this package. */
import type { NodeAPI } from 'node-red'
import { translatorOf } from './built'

export const withCatalogs = (language: string): NodeAPI =>
  ({ _: translatorOf(language) }) as unknown as NodeAPI
