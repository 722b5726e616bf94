import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { z } from '../../../daemon/base/schema.ts';

const count = z.int().min(0);

const keptGatewaySchema = z.strictObject({
  /** Worlds that the gateway has been in. */
  worlds: z.int().min(1),
  /** Simulated hours of all of them. */
  hours: z.number().positive(),
  /** Milliseconds since the epoch when it was stopped, by its own clock. */
  stoppedAtMs: z.int(),
  /** Id of the newest event of its audit log. */
  newestEventId: count,
  /** Id of its newest snapshot. */
  newestSnapshotId: count,
  /** Number of the last entry of its journal. */
  journalEntry: count,
});

/** What has to be there when a gateway starts in the next world. */
export type KeptGateway = Readonly<z.infer<typeof keptGatewaySchema>>;

const FILE = 'gateway.json';
const DATA = 'data-';
const OWN = /^data-\d+$/;

/** A directory that keeps a gateway from one world to the next, with all its data. */
export class KeptPlace {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** @returns undefined if no world has left a gateway here @throws {ZodError} when the file is of something else */
  read(): { readonly gateway: KeptGateway; readonly dataDirectory: string } | undefined {
    const file = path.join(this.#directory, FILE);
    if (!existsSync(file)) return undefined;
    const gateway = keptGatewaySchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    return { gateway, dataDirectory: this.#dataOf(gateway) };
  }

  /**
   * Replaces the gateway that is kept. A process that ends in between leaves the earlier one.
   *
   * @param copyData copies the data into a directory that does not exist
   */
  write(gateway: KeptGateway, copyData: (to: string) => void): void {
    mkdirSync(this.#directory, { recursive: true });
    const data = this.#dataOf(gateway);
    rmSync(data, { recursive: true, force: true });
    copyData(data);
    const file = path.join(this.#directory, FILE);
    writeFileSync(`${file}.new`, `${JSON.stringify(keptGatewaySchema.parse(gateway), undefined, 2)}\n`);
    renameSync(`${file}.new`, file);
    for (const name of readdirSync(this.#directory)) {
      const other = path.join(this.#directory, name);
      if (OWN.test(name) && other !== data) rmSync(other, { recursive: true });
    }
  }

  #dataOf({ worlds }: KeptGateway): string {
    return path.join(this.#directory, `${DATA}${worlds}`);
  }
}
