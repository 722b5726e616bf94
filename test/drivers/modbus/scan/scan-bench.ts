import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { AssetRegistry } from '../../../../daemon/plant/asset/asset-registry.ts';
import { checkPlant } from '../../../../daemon/plant/asset/plant-config.ts';
import { finish } from '../../../../daemon/base/slices.ts';
import { systemClock } from '../../../../daemon/base/clock.ts';
import { systemRandom } from '../../../../daemon/base/random.ts';
import type { ScanEvent, ScanFinding, Settings } from '../../../../daemon/channel/discovery.ts';
import type { ScanResult } from '../../../../daemon/plant/discovery/scan.ts';
import { Scans } from '../../../../daemon/plant/discovery/scans.ts';
import { createModbusDriverFactory } from '../../../../drivers/modbus/modbus-driver.ts';
import { startFaultServer } from '../../../support/modbus-fault-server.ts';
import type { FaultScript, FaultServer } from '../../../support/modbus-fault-server.ts';
import { createLastWrites } from '../../../support/last-writes.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { assertCoded } from '../../../support/scan-codes.ts';

interface ScanCall {
  readonly options?: Settings;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: ScanEvent) => void;
}

/** Everything that a scan gave. */
export interface Scanned extends ScanResult {
  readonly events: readonly ScanEvent[];
  /** Kind, subject and text of each finding, as a person sees them. */
  readonly texts: readonly string[];
}

/** Creates a gateway with these drivers and assets, and what scans with it; without pauses between the requests. */
export async function openModbusScan(
  t: TestContext,
  plant: { readonly drivers?: readonly Settings[]; readonly assets?: readonly Settings[] } = {},
  described: ReadonlyMap<string, string> = new Map([['SunSpec model 113', 'sunspec-inverter-113']]),
) {
  const factories = [createModbusDriverFactory()];
  const parts = { factories: () => factories, clock: systemClock, logger: createMemoryLogger() };
  const registry = new AssetRegistry({
    ...parts,
    driverDirectory: '/nonexistent',
    onChange: () => undefined,
    lastWrites: createLastWrites(parts.clock),
    random: systemRandom,
  });
  const checked = finish(checkPlant(factories, plant));
  assert.ok(checked.value !== undefined, JSON.stringify(checked.faults));
  await registry.apply(checked.value);
  t.after(() => registry.stop());
  const scans = new Scans({ ...parts, registry, listDescribed: () => Promise.resolve(described) });
  const wish = ({ options }: ScanCall) => ({ options: { pauseMs: 0, ...options }, limitSeconds: 600 });
  return {
    registry,
    scan: async (settings: Settings, call: ScanCall = {}): Promise<Scanned> =>
      follow(await scans.prepare('modbus', settings, wish(call)), call),
    scanConfigured: (pid: string, call: ScanCall = {}): Promise<Scanned> =>
      follow(scans.prepareConfigured(pid, wish(call)), call),
  };
}

async function follow(
  scan: Awaited<ReturnType<Scans['prepare']>>,
  { signal = new AbortController().signal, onEvent }: ScanCall,
): Promise<Scanned> {
  const events: ScanEvent[] = [];
  const result = await scan.run({
    signal,
    report(event) {
      events.push(event);
      onEvent?.(event);
    },
  });
  assertCoded(events, result.details);
  const found = events.filter((event): event is ScanFinding => event.type === 'found');
  return { ...result, events, texts: found.map(({ subject, kind, text }) => `${subject} ${kind} ${text}`) };
}

/** Starts a device that does wrong, until the test ends. */
export async function startDevice(t: TestContext, script: FaultScript): Promise<FaultServer> {
  const server = await startFaultServer(script);
  t.after(() => server.close());
  return server;
}

/** Asserts that a device was only read: by the functions 1 to 4, 43 with the MEI type 14, and 23 that writes no register. */
export function assertOnlyRead({ requests }: FaultServer): void {
  const others = requests.filter(({ pdu }) => {
    const [functionCode = 0, meiType] = pdu;
    const isRead = functionCode <= 4 || (functionCode === 43 && meiType === 14);
    return !isRead && !(functionCode === 23 && pdu.length === 10 && pdu.readUInt16BE(7) === 0);
  });
  assert.deepEqual(others, []);
}
