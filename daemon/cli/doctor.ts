import { CONFIG_OPTION } from './client-options.ts';
import { getAssetStatus, listAssets } from './asset-status.ts';
import type { AssetStatus, UnitStatus } from './asset-status.ts';
import { createClientVerb } from './client-verb.ts';
import {
  checkCertificate,
  checkClock,
  checkConfigurationFile,
  checkDisk,
  checkSerialLines,
} from './machine-checks.ts';
import type { Finding } from './machine-checks.ts';
import type { RestClient } from './rest-client.ts';
import { listSilent } from './silent-devices.ts';
import { checkAuditExport } from './doctor/check-audit-export.ts';
import { checkDaemonFiles } from './doctor/check-daemon-files.ts';
import { checkDeviceAccess } from './doctor/check-device-access.ts';
import { checkDevices } from './doctor/check-devices.ts';
import { checkLastWords } from './doctor/check-last-words.ts';
import { checkAuthorities, checkListeners } from './doctor/check-listeners.ts';
import { checkRights } from './doctor/check-rights.ts';
import type { GatewaySettings } from '../settings/gateway-settings.ts';
import { formatTable } from './table.ts';
import { messageOf } from '../base/errors.ts';
import { CommandError, isNotFound } from './command-error.ts';

const TONES = { GOOD: 'GOOD', WARNING: 'DOUBTFUL', WRONG: 'BAD', UNKNOWN: 'DOUBTFUL' } as const;

/** Checks the machine and the gateway for anything that keeps the gateway from working. */
export const doctor = createClientVerb('doctor', 'finds what is wrong and shows how to fix it', {
  '': {
    parameters: '',
    summary: 'checks the machine and the gateway, and shows what is wrong and how to fix it',
    text: 'Ends with status 1 when a check fails.',
    options: {
      config: CONFIG_OPTION,
    },
    run: async ({ client, options, show }) => {
      const file = String(options['config']);
      const { findings, settings } = await checkConfigurationFile(file);
      const all = [
        ...findings,
        checkClock(Date.now()),
        ...(settings === undefined ? [] : await checkMachine(file, settings, Date.now())),
        ...(await checkSerialLines()),
        ...(await checkDaemon(client, settings)),
      ];
      show(all, format);
      const wrong = all.filter(({ state }) => state === 'WRONG').length;
      if (wrong > 0) {
        throw new CommandError({ code: 'FINDINGS', detail: `${wrong} of ${all.length} checks failed` });
      }
    },
  },
});

async function checkMachine(
  configFile: string,
  settings: GatewaySettings,
  nowMs: number,
): Promise<readonly Finding[]> {
  return [
    await checkDisk(settings.dataDirectory),
    await checkCertificate(settings, nowMs),
    ...(await checkAuthorities(settings, nowMs)),
    await checkDaemonFiles(configFile, settings.dataDirectory),
  ];
}

async function checkDaemon(
  client: RestClient,
  settings: GatewaySettings | undefined,
): Promise<readonly Finding[]> {
  const findings = await checkGateway(client);
  if (settings === undefined) return findings;
  const isRunning = findings.some(({ check, state }) => check === 'gateway' && state === 'GOOD');
  const words = await checkLastWords(settings.dataDirectory, isRunning);
  return [...words, ...(isRunning ? await checkListeners(settings) : []), ...findings];
}

async function checkGateway(client: RestClient): Promise<readonly Finding[]> {
  try {
    await client.send('GET', '/readyz');
  } catch (error) {
    const advice = 'systemctl status penstock; journalctl -u penstock -n 50';
    return [{ check: 'gateway', state: 'WRONG', detail: messageOf(error), advice }];
  }
  const ready: Finding = { check: 'gateway', state: 'GOOD', detail: 'it answers' };
  try {
    // First: what an asset says of a device that nobody has asked yet is nothing.
    const devices = await checkDevices(client);
    const pids = await listAssets(client);
    const seen = await Promise.all(pids.map(async (pid) => checkAsset(client, pid)));
    const assets = seen.filter((asset) => asset !== undefined);
    return [
      ready,
      ...devices,
      ...assets.flatMap(({ connection }) => connection),
      ...assets.flatMap(({ access }) => access),
      ...listWarnings(assets.map(({ status }) => status)),
      ...(await checkRights(client)),
      ...(await checkAuditExport(client)),
    ];
  } catch (error) {
    const advice = 'run this as root, or provide credentials';
    return [ready, { check: 'assets', state: 'UNKNOWN', detail: messageOf(error), advice }];
  }
}

interface CheckedAsset {
  readonly status: AssetStatus;
  readonly connection: readonly Finding[];
  readonly access: readonly Finding[];
}

/** Checks an asset; undefined when it was removed since it was listed. */
async function checkAsset(client: RestClient, pid: string): Promise<CheckedAsset | undefined> {
  try {
    const status = await getAssetStatus(client, pid);
    const connection = checkConnection(`asset ${pid}`, status);
    return { status, connection, access: await checkDeviceAccess(client, pid) };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Lists what may be wrong with devices: once, however many assets they have. */
function listWarnings(statuses: readonly AssetStatus[]): readonly Finding[] {
  // A gateway of an earlier release has no warnings.
  const warnings = new Set(statuses.flatMap(({ driver }) => driver.warnings ?? []));
  const advice = 'serve the assets of one device by one driver';
  return [...warnings].map((detail) => ({ check: 'devices', state: 'WARNING', detail, advice }));
}

function checkConnection(check: string, { driver, units }: AssetStatus): readonly Finding[] {
  if (driver.state === 'BACKING_OFF') {
    const advice = `check power, wiring and address of ${driver.endpoint}`;
    return [{ check, state: 'WRONG', detail: driver.lastError ?? 'no connection', advice }];
  }
  const findings = units.flatMap((unit) => checkUnit(check, unit));
  if (findings.length > 0) return findings;
  return [{ check, state: 'GOOD', detail: `${driver.endpoint}: ${driver.state}` }];
}

function checkUnit(check: string, unit: UnitStatus): readonly Finding[] {
  if (unit.state === 'SUSPENDED') {
    const detail = `${unit.name}: ${unit.lastError ?? 'it does not answer'}`;
    const advice = 'check its power, wiring and unit identifier; the gateway keeps trying';
    return [{ check, state: 'WRONG', detail, advice }];
  }
  return listSilent([unit]).map(({ name }) => ({
    check,
    state: 'WRONG',
    detail: `${name} does not answer; other addresses of the unit do`,
    advice: 'check that the device has this address; the gateway keeps trying',
  }));
}

function format(findings: readonly Finding[]): string {
  return formatTable<Finding>(
    [
      { title: 'CHECK', show: ({ check }) => check },
      { title: 'STATE', show: ({ state }) => state, tone: ({ state }) => TONES[state] },
      { title: 'FINDING', show: ({ detail }) => detail },
      { title: 'WHAT TO DO', show: ({ advice }) => advice ?? '' },
    ],
    findings,
  );
}
