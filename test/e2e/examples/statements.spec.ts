import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { MARIADB_EXAMPLE, readExample, SQL_SERVER_EXAMPLE } from '../../support/examples'
import { paletteFolder } from '../../support/palette'

const INSTALLING_MS = 300_000

/** As the grammar writes one: 8.0.19. */
const MYSQL_VERSION = 80019

/** Of the package `antlr4ts-sql`, what is used here. */
interface Grammar {
  getTokens(statement: string, listeners: Listener[]): object
  getParser(tokens: object, listeners: Listener[]): Parser
  getParseTree(parser: Parser): object
}
interface Listener {
  syntaxError(recognizer: object, symbol: object, line: number, column: number, message: string): void
}
interface Parser extends Versioned {
  inputStream: { tokenSource: Versioned }
}
/** Used by MySQL's grammar, which is that of several versions. */
interface Versioned {
  serverVersion?: number
}
type Dialect = 'TSQL' | 'MYSQL'

/** SQL Server and MySQL cannot be run here: what a grammar says to statements is all that is known. */
describe('the statements of the examples', () => {
  let sql: { antlr4tsSQL: new (dialect: string) => Grammar; SQLDialect: Record<Dialect, string> }

  before('installs the grammars', async function () {
    this.timeout(INSTALLING_MS)
    sql = createRequire(join(await paletteFolder(), 'package.json'))('antlr4ts-sql')
  })

  function faultsIn(statement: string, dialect: Dialect): string[] {
    const faults: string[] = []
    const listener: Listener = {
      syntaxError: (_recognizer, _symbol, line, column, message) =>
        faults.push(`${line}:${column} ${message}`),
    }
    const grammar = new sql.antlr4tsSQL(sql.SQLDialect[dialect])
    const parser = grammar.getParser(grammar.getTokens(statement, [listener]), [listener])
    for (const part of [parser, parser.inputStream.tokenSource]) part.serverVersion = MYSQL_VERSION
    grammar.getParseTree(parser)
    return faults
  }

  const textsOf = (name: string, type: string, property: string) =>
    readExample(name).flatMap((node) => (node.type === type ? [String(node[property])] : []))

  it('are T-SQL for SQL Server', () => {
    const statements = textsOf(SQL_SERVER_EXAMPLE, 'MSSQL', 'query')
    assert.equal(statements.length, 2)
    for (const statement of statements) assert.deepEqual(faultsIn(statement, 'TSQL'), [], statement)
  })

  it('are those of MySQL 8.0 for MySQL', () => {
    // What the driver puts in the place of the parameter.
    const statements = textsOf(MARIADB_EXAMPLE, 'template', 'template').map((text) =>
      text.replace('?', "'[]'"),
    )
    assert.equal(statements.length, 2)
    for (const statement of statements) assert.deepEqual(faultsIn(statement, 'MYSQL'), [], statement)
  })

  for (const [dialect, statement] of [
    ['TSQL', 'SELECT value FROM readings LIMIT 1'],
    ['TSQL', 'INSERT INTO readings (value) VALUES (1) ON CONFLICT DO NOTHING'],
    ['TSQL', 'CREATE TABLE IF NOT EXISTS readings (value FLOAT)'],
    ['TSQL', 'CREATE TABLE readings (user INT)'],
    ['TSQL', 'SELECT value FROM OPENJSON(@rows) WITH (value FLOAT $.value)'],
    ['MYSQL', 'INSERT INTO readings (value) VALUES (1) ON CONFLICT DO NOTHING'],
    ['MYSQL', "SELECT value FROM JSON_TABLE('[]', '$[*]' COLUMNS (value DOUBLE PATH '$.value')) AS row"],
  ] as const) {
    it(`are told from what is not: ${dialect} has no ${statement}`, () => {
      assert.notDeepEqual(faultsIn(statement, dialect), [])
    })
  }
})
