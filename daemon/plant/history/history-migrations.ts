import type { Migrations } from '../../base/store/store.ts';

/** The tables of the history. */
export const historyMigrations: Migrations = {
  module: 'history',
  steps: [
    `CREATE TABLE history_series (
       id INTEGER PRIMARY KEY,
       asset TEXT NOT NULL,
       channel TEXT NOT NULL,
       value_type TEXT NOT NULL,
       stored_sequence INTEGER NOT NULL,
       UNIQUE (asset, channel, value_type)
     ) STRICT;
     CREATE TABLE history_block (
       id INTEGER PRIMARY KEY,
       series INTEGER NOT NULL REFERENCES history_series (id),
       first_sequence INTEGER NOT NULL,
       last_sequence INTEGER NOT NULL,
       from_ms INTEGER NOT NULL,
       to_ms INTEGER NOT NULL,
       taken_ms INTEGER NOT NULL,
       count INTEGER NOT NULL,
       good INTEGER NOT NULL,
       valued INTEGER NOT NULL,
       numbers INTEGER NOT NULL,
       sum REAL NOT NULL,
       minimum REAL,
       maximum REAL,
       bytes BLOB NOT NULL
     ) STRICT;
     CREATE INDEX history_block_time ON history_block (series, from_ms, to_ms);
     CREATE TABLE history_gap (
       id INTEGER PRIMARY KEY,
       sequence INTEGER NOT NULL,
       reason TEXT NOT NULL,
       asset TEXT,
       channel TEXT,
       from_ms INTEGER NOT NULL,
       to_ms INTEGER NOT NULL,
       count INTEGER NOT NULL
     ) STRICT;
     CREATE INDEX history_gap_time ON history_gap (from_ms, id);
     CREATE TABLE history_position (
       id INTEGER PRIMARY KEY CHECK (id = 1),
       sequence INTEGER NOT NULL,
       time_ms INTEGER NOT NULL
     ) STRICT`,
  ],
};
