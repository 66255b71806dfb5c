/** The parts of Node-RED's editor that the logic of forms uses: texts of a catalog, and the user's language. */
import { translatorOf } from './built'

/** Sets the global `RED` for the tests of a `describe`; texts come from the catalogs, with parameters filled in. */
export function useFakeRed(language: 'en-US' | 'ja' = 'en-US'): void {
  const translate = translatorOf(language)
  const say = (key: string, params?: Record<string, unknown>) => translate(key.replace(/^.*:/, ''), params)
  const globals = globalThis as { RED?: unknown; $?: unknown }
  before(() => {
    // No form is open.
    globals.$ = () => ({ is: () => false, val: () => undefined })
    globals.RED = { _: say, i18n: { lang: () => language } }
  })
  after(() => {
    delete globals.RED
    delete globals.$
  })
}
