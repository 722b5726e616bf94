import { setTimeout as pause } from 'node:timers/promises';

import type { AnswerOf } from '../../daemon/interface/endpoint.ts';
import type { HistoryPage, readHistory } from '../../daemon/interface/plant/history.ts';
import { createFrame, startFaultServer } from '../support/modbus-fault-server.ts';
import type { Owner } from '../support/temporary-directory.ts';
import { untilCut } from './acknowledged-writes.ts';
import type { GatewayOnMachine } from './gateway-on-machine.ts';
import { HOST } from './machine.ts';

/** Name of the asset, of its driver and of its recorder. */
export const ASSET = 'meter';
const INTERVAL_MS = 200;
const PAUSE_MS = 250;
// Everything is many times slower there.
const RESPONSE_TIMEOUT_MS = 10_000;

/** Difference between the clocks of the test and of the machine, which is at most a second; a boot takes longer. */
export const CLOCK_TOLERANCE_MS = 5000;

type HistorySample = NonNullable<HistoryPage['samples']>[number];

/** Samples of a device whose register counts its reads, recorded by a gateway in an emulated machine. */
export class CountedSamples {
  readonly #gateway: GatewayOnMachine;
  /** Clock of the test at each read; the first is that of number 1. */
  readonly #readAtMs: readonly number[];
  readonly #fromMs = Date.now() - CLOCK_TOLERANCE_MS;
  #acknowledged: readonly HistorySample[] = [];

  private constructor(gateway: GatewayOnMachine, readAtMs: readonly number[]) {
    this.#gateway = gateway;
    this.#readAtMs = readAtMs;
  }

  /** Starts the device, and configures the gateway to record it. */
  static async record(t: Owner, gateway: GatewayOnMachine): Promise<CountedSamples> {
    const readAtMs: number[] = [];
    const device = await startFaultServer((request, connection) => {
      readAtMs.push(performance.now());
      const pdu = Buffer.from([request.pdu[0] ?? 0, 4, 0, 0, 0, 0]);
      pdu.writeUInt32BE(readAtMs.length, 2);
      connection.send(createFrame({ ...request, pdu }));
    });
    t.after(() => device.close());
    const address = { unitId: 1, table: 'HOLDING_REGISTERS', offset: 0, dataType: 'UINT32' };
    const channels = [{ name: 'reads', type: 'READ', valueType: 'INTEGER', address }];
    const items = {
      [`drivers/${ASSET}`]: {
        type: 'modbus',
        host: HOST,
        port: device.port,
        responseTimeoutMs: RESPONSE_TIMEOUT_MS,
      },
      [`assets/${ASSET}`]: { driver: ASSET, channels },
      [`recorders/${ASSET}`]: { intervalMs: INTERVAL_MS, assets: [{ asset: ASSET }] },
    };
    for (const [place, body] of Object.entries(items)) {
      const headers = { 'If-Match': '*' };
      await gateway.ask('PUT', `/services/configuration/v1/${place}`, { headers, body });
    }
    return new CountedSamples(gateway, readAtMs);
  }

  /** Number of samples that the history has returned. */
  get acknowledgedCount(): number {
    return this.#acknowledged.length;
  }

  /** Reads the history again and again until the power is cut. */
  async followUntilCut(): Promise<void> {
    for (;;) {
      const page = await untilCut(this.read());
      if (page === 'cut') return;
      this.#acknowledged = page.samples ?? [];
      await pause(PAUSE_MS);
    }
  }

  /** Reads everything that was recorded. */
  async read(): Promise<HistoryPage> {
    const query = `from=${this.#fromMs}&limit=100000`;
    const answer = await this.#gateway.ask('GET', `/services/history/v1/${ASSET}?${query}`);
    return answer as AnswerOf<typeof readHistory>;
  }

  /** Waits until the recorder has gone on for some samples after a time of the gateway, and reads everything. */
  async readOnceContinued(sinceMs: number, count: number): Promise<HistoryPage> {
    for (;;) {
      const page = await this.read();
      const { samples = [] } = page;
      if (samples.filter(({ timestamp }) => timestamp > sinceMs).length >= count) return page;
      await pause(PAUSE_MS);
    }
  }

  /** Lists samples that the history has returned before and does not contain any more. */
  listLost({ samples = [] }: HistoryPage): readonly HistorySample[] {
    const found = new Set(samples.map(nameOf));
    return this.#acknowledged.filter((sample) => !found.has(nameOf(sample)));
  }

  /** Returns how long before a moment of the test's clock the first value was read that follows a recorded one. */
  missingMs(value: number, cutAtMs: number): number {
    const firstMissing = this.#readAtMs[value] ?? Infinity;
    return Math.max(0, cutAtMs - firstMissing);
  }
}

function nameOf({ timestamp, value, quality }: HistorySample): string {
  return `${timestamp} ${String(value)} ${quality}`;
}
