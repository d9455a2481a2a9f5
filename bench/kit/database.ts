/** A private PostgreSQL for programs that measure: databases of their own, and a count of the statements that gateways send there. */

import { queryRows, runSql, TestPostgres } from '../../test/kit/postgres.ts';

/** The first line of a statement in the log: database, program, and how it was sent. Its further lines have no such beginning. */
const statementLine = '^([^|]+)[|]toolcrib[|]LOG:  (statement|execute)';
const logFile = 'log/statements.log';
/** PostgreSQL writes its log in a process of its own. */
const logDelayMs = 300;

export class MeasuredPostgres {
  readonly #url: string;

  private constructor(url: string) {
    this.#url = url;
  }

  static async start(): Promise<MeasuredPostgres> {
    const log = [
      'logging_collector=on',
      'log_filename=statements.log',
      'log_line_prefix=%d|%a|',
      'max_connections=200',
    ];
    return new MeasuredPostgres((await TestPostgres.start(log)).url);
  }

  /** The URL of a new database. */
  async create(name: string): Promise<string> {
    await runSql(this.#url, `create database ${name}`);
    const url = new URL(this.#url);
    url.pathname = `/${name}`;
    return url.href;
  }

  /** How many statements gateways sent to each database while this was done. The log costs time, so nothing else is measured meanwhile. */
  async countStatements(act: () => Promise<void>): Promise<ReadonlyMap<string, number>> {
    await this.#log('all');
    const before = await this.#statements();
    await act();
    await new Promise((resolve) => setTimeout(resolve, logDelayMs));
    const after = await this.#statements();
    await this.#log('none');
    return new Map([...after].map(([name, count]) => [name, count - (before.get(name) ?? 0)]));
  }

  async #log(kind: 'all' | 'none'): Promise<void> {
    await runSql(this.#url, `alter system set log_statement = '${kind}'`);
    await runSql(this.#url, 'select pg_reload_conf()');
    await new Promise((resolve) => setTimeout(resolve, logDelayMs));
  }

  async #statements(): Promise<Map<string, number>> {
    const rows = await queryRows(
      this.#url,
      `select name[1] as name, count(*)::int as count
        from regexp_split_to_table(pg_read_file('${logFile}'), '\\n') as line, regexp_match(line, '${statementLine}') as name
        where name is not null group by name[1]`,
    );
    return new Map(rows.map(({ name, count }) => [String(name), Number(count)]));
  }
}
