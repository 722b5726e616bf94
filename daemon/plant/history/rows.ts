import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Columns of a row by name. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs statements of a database, each prepared once. */
export class Rows {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  all(query: string, ...values: readonly (string | number)[]): readonly Row[] {
    return this.#prepare(query).all(...values);
  }

  /** Returns the column `found` of the first row; 0 without one. */
  number(query: string): number {
    return Number(this.all(query)[0]?.['found'] ?? 0);
  }

  /** Returns the number of rows that changed. */
  run(query: string, ...values: readonly (string | number | Uint8Array | null)[]): number {
    return Number(this.#prepare(query).run(...values).changes);
  }

  #prepare(query: string): StatementSync {
    let statement = this.#statements.get(query);
    if (statement === undefined) {
      statement = this.#database.prepare(query);
      this.#statements.set(query, statement);
    }
    return statement;
  }
}
