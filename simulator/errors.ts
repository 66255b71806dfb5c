/**
 * Errors of the service (docs/service.md, *Errors*). The statuses were observed. The code is the same as the status,
 * and the message is in the language of the host.
 */
import type { Variants } from './variants'

const causes = {
  path: [404, 'No such API', 'APIが存在しません'],
  method: [405, 'Only POST is accepted', 'POSTのみ使用できます'],
  override: [400, 'X-HTTP-Method-Override must be GET', 'X-HTTP-Method-Overrideヘッダーが不正です'],
  contentType: [415, 'Content-Type must be application/json', 'Content-Typeが不正です'],
  json: [400, 'The body is not a JSON object', 'リクエストの形式が不正です'],
  tooLarge: [413, 'The body is too large', 'リクエストが大きすぎます'],
  credentials: [401, 'Authentication failed', '認証に失敗しました'],
  forbidden: [403, 'Access is forbidden', 'アクセスが禁止されています'],
  rate: [429, 'Too many requests', 'アクセス回数の上限を超えました'],
  records: [429, 'Too many records', '取得データ数の上限を超えました'],
  missing: [400, 'A required parameter is missing', '必須パラメータがありません'],
  parameter: [400, 'A parameter is not valid', 'パラメータが不正です'],
  both: [
    400,
    'remote-serial and base-serial cannot be given together',
    'remote-serialとbase-serialは同時に指定できません',
  ],
  serial: [400, 'The device does not exist', '該当する機器が存在しません'],
  kind: [400, 'The device is not served by this API', 'この機器は本APIの対象外です'],
  status: [500, 'The service is not available', 'サービスを利用できません'],
} as const satisfies Record<string, readonly [number, string, string]>

export type Cause = keyof typeof causes

/** Thrown while a request is processed, to respond with an error. */
export class Refusal extends Error {
  /** @param status overrides the status of the cause */
  constructor(
    readonly why: Cause,
    readonly detail = '',
    readonly status: number = causes[why][0],
  ) {
    super(why)
  }
}

/** The error object (docs/service.md, *Errors*) as JSON text. */
export function errorBody(why: Cause, detail: string, variants: Variants, status: number): string {
  const [, en, ja] = causes[why]
  const message = variants.errorLanguage === 'ja' ? ja : en
  return JSON.stringify({
    error: {
      code: variants.errorCode === 'text' ? String(status) : status,
      message: detail ? `${message}: ${detail}` : message,
    },
  })
}
