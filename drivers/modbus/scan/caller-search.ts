import { delay } from '../../../daemon/base/clock.ts';
import { createReason } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { describeScan } from '../../../daemon/channel/discovery.ts';
import type { Settings } from '../../../daemon/channel/discovery.ts';
import type { SettingsSearch } from '../../../daemon/channel/driver.ts';
import { CallerWatch } from '../../link/caller-watch.ts';
import type { Caller } from '../../link/caller-watch.ts';
import type { ListenPorts } from '../../link/listen-ports.ts';
import { MODBUS_SCAN_SENTENCES } from '../scan-sentences.ts';
import type { ScanOptions } from './scan-options.ts';

const SECOND_MS = 1000;

/** True for a port of the gateway without the device that connects to it. */
export function needsCaller({ transport, identify }: Settings): boolean {
  return transport === 'tcp-listen' && identify === undefined;
}

/** Adds a device, so that the settings conform to the schema of the driver; only its name is used. */
export function nameAnyCaller(given: Settings): Settings {
  return needsCaller(given) ? { ...given, identify: { registration: 'any device' } } : given;
}

/**
 * Listens on a port and reports the devices that connect and that no driver expects.
 *
 * @returns the settings that recognize the device; undefined if there was none or more than one, or the signal ended the search
 * @throws {ConnectionError} if the port cannot be opened
 */
export async function findCaller(
  given: Settings,
  { options: { waitSeconds }, context: { clock }, report, signal }: SettingsSearch<ScanOptions>,
  ports: ListenPorts,
): Promise<Settings | undefined> {
  const port = Number(given['listenPort']);
  const watch = new CallerWatch({
    clock,
    onCaller: (caller) => {
      const { address, packet = '' } = caller;
      const [key, value] = identifyingSetting(caller);
      const setting = `{ ${key}: ${JSON.stringify(value)} }`;
      const words = describeScan(
        describeCaller(caller),
        createReason(MODBUS_SCAN_SENTENCES, 'SCAN_CALLER_SETTING', { setting }),
      );
      const fields = { address, packet, identifyBy: key, identifyAs: value };
      report({ type: 'found', subject: address, kind: 'CALLER', ...words, fields });
    },
  });
  const leave = await ports.watch(port, watch);
  const listening = describeScan(createReason(MODBUS_SCAN_SENTENCES, 'SCAN_LISTENING', { port }));
  let found: Settings | undefined;
  try {
    for (let second = 0; second < waitSeconds; second += 1) {
      report({ type: 'progress', done: second, total: waitSeconds, ...listening });
      await delay(clock, SECOND_MS, signal);
    }
    const [caller, ...others] = watch.listCallers();
    if (caller !== undefined && others.length === 0) {
      found = { ...given, identify: Object.fromEntries([identifyingSetting(caller)]) };
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    if (found === undefined) watch.close();
    if (found === undefined) leave();
    else watch.end(leave);
  }
  return found;
}

/** Returns the key of `identify` that recognizes a device, and its value. */
function identifyingSetting({ address, packet, hasRepeated }: Caller): readonly [string, string] {
  if (packet === undefined) return ['address', address];
  return [hasRepeated ? 'heartbeat' : 'registration', packet];
}

function describeCaller({ packet, hasRepeated }: Caller): FaultReason {
  if (packet === undefined) return createReason(MODBUS_SCAN_SENTENCES, 'SCAN_CALLER_SILENT', {});
  const code = hasRepeated ? 'SCAN_CALLER_REPEATING' : 'SCAN_CALLER_REGISTERED';
  return createReason(MODBUS_SCAN_SENTENCES, code, { packet });
}
