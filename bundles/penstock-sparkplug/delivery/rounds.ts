import { makeRow } from '../node/data-set-row.ts';
import type { RowValues } from '../node/data-set-row.ts';
import { findDataSet } from '../node/node-definition.ts';
import type { NodeDefinition } from '../node/node-definition.ts';
import type { NodeSample } from '../node/node-session.ts';
import { isColumnType } from '../payload/data-type.ts';

interface Round {
  readonly takenAtMs: number;
  /** Newest time of its samples; undefined: none of them is in the data set. */
  newestMs: number | undefined;
}

/** Samples of a device that were taken together, which make a row of its data set. */
export class Rounds {
  readonly #definition: NodeDefinition;
  readonly #rows: RowValues;
  readonly #onRow: (row: NodeSample) => void;
  readonly #open = new Map<string, Round>();

  constructor(definition: NodeDefinition, rows: RowValues, onRow: (row: NodeSample) => void) {
    this.#definition = definition;
    this.#rows = rows;
    this.#onRow = onRow;
  }

  /** Ends the round of a device if the next sample was taken at another time. */
  begin(device: string, takenAtMs: number): void {
    const round = this.#open.get(device);
    if (round?.takenAtMs === takenAtMs) return;
    if (round !== undefined) this.#finish(device, round);
    this.#open.set(device, { takenAtMs, newestMs: undefined });
  }

  take(sample: NodeSample): void {
    const { metric, timestampMs } = sample;
    const round = this.#open.get(metric.asset);
    if (round === undefined || !isColumnType(metric.type)) return;
    this.#rows.take(sample);
    round.newestMs = Math.max(round.newestMs ?? -Infinity, timestampMs);
  }

  end(): void {
    for (const [device, round] of this.#open) this.#finish(device, round);
    this.#open.clear();
  }

  #finish(device: string, { newestMs }: Round): void {
    const defined = this.#definition.get(device);
    const metric = defined && findDataSet(defined);
    if (metric?.columns === undefined || newestMs === undefined) return;
    const row = makeRow(metric.columns, (column) => this.#rows.find(column, newestMs));
    if (row !== undefined) this.#onRow({ ...row, metric, timestampMs: newestMs });
  }
}
