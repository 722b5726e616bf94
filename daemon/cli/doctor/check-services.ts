import { access, constants } from 'node:fs/promises';
import path from 'node:path';

import { CONFIG_OPTION } from '../client/client-options.ts';
import { formatLocalTime } from '../terminal/local-time.ts';
import type { Finding } from '../machine-checks.ts';
import { findRunning } from '../backup/existing-gateway.ts';
import { UNITS } from './service-status.ts';
import type { ServiceStatus, UnitProperties } from './service-status.ts';
import { readDaemonStatus } from '../../base/process/daemon-status-file.ts';

const [SERVICE, PORTS] = UNITS;
const CHECK = 'services';
const HOUR_MS = 3_600_000;
// One restart may be transient; several in a row indicate a persistent problem.
const FEW_RESTARTS = 2;

/**
 * Checks that the units of the package are enabled, active, and start the daemon.
 *
 * @param configFile checked configuration; the units are ignored if they use another one
 */
export async function checkServices(
  { units }: ServiceStatus,
  configFile: string,
  nowMs: number,
): Promise<readonly Finding[]> {
  const service = units?.get(SERVICE);
  if (units === undefined || service === undefined || service['LoadState'] === 'not-found') {
    return [{ check: CHECK, state: 'UNKNOWN', detail: 'not checked: no systemd with penstock.service' }];
  }
  if (isOfOther(service, configFile)) {
    return [{ check: CHECK, state: 'UNKNOWN', detail: `not checked: ${SERVICE} has another configuration` }];
  }
  const wrong = [
    ...(await checkProgram(service)),
    ...checkRead(units),
    ...checkEnabled(units),
    ...checkRunning(units),
    ...checkRestarts(service, nowMs),
  ];
  if (wrong.length > 0) return wrong;
  return [{ check: CHECK, state: 'GOOD', detail: 'the units start with the machine, and run' }];
}

function isOfOther({ ExecStart = '' }: UnitProperties, configFile: string): boolean {
  const given = /--config[= ](\S+)/.exec(ExecStart)?.[1];
  // A command other than the daemon has no configuration and is a separate finding.
  return path.resolve(given ?? CONFIG_OPTION.default) !== path.resolve(configFile);
}

/** Finds a unit that the service manager rejects, and a command that is missing or not the daemon. */
async function checkProgram(service: UnitProperties): Promise<readonly Finding[]> {
  const { LoadState = '', LoadError = '', ExecStart = '', DropInPaths = '' } = service;
  const from = DropInPaths === '' ? '' : ` (changed by ${DropInPaths})`;
  const advice = `systemd-analyze verify ${SERVICE}; systemctl edit ${SERVICE}, or without what was added: systemctl revert ${SERVICE}`;
  const find = (detail: string): readonly Finding[] => [{ check: CHECK, state: 'WRONG', detail, advice }];
  if (LoadState === 'masked') {
    const detail = `${SERVICE} is masked: it cannot be started`;
    return [{ check: CHECK, state: 'WRONG', detail, advice: `systemctl unmask ${SERVICE}` }];
  }
  if (LoadState !== 'loaded') {
    const reason = /"([^"]+)"/.exec(LoadError)?.[1] ?? LoadState;
    return find(`${SERVICE} does not start again: ${reason}${from}`);
  }
  const program = /path=(\S+)/.exec(ExecStart)?.[1] ?? '';
  const isDaemon = /\bpenstockd\b|daemon\/main\.[jt]s\b/.test(ExecStart);
  if (!isDaemon) return find(`${SERVICE} starts ${program || 'nothing'} in place of penstockd${from}`);
  if (await isProgram(program)) return [];
  return find(`${SERVICE} does not start again: ${program} is no program${from}`);
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function checkRead(units: ReadonlyMap<string, UnitProperties>): readonly Finding[] {
  const changed = UNITS.filter((name) => units.get(name)?.['NeedDaemonReload'] === 'yes');
  if (changed.length === 0) return [];
  const detail = `${changed.join(', ')}: changed on disk, but systemd uses the previous content`;
  const advice = 'systemctl daemon-reload, then: systemctl restart penstock';
  return [{ check: CHECK, state: 'WRONG', detail, advice }];
}

function checkEnabled(units: ReadonlyMap<string, UnitProperties>): readonly Finding[] {
  const disabled = UNITS.filter((name) => units.get(name)?.['UnitFileState'] === 'disabled');
  if (disabled.length === 0) return [];
  const detail = `${disabled.join(', ')}: disabled, so not started with the machine`;
  return [{ check: CHECK, state: 'WRONG', detail, advice: `systemctl enable ${disabled.join(' ')}` }];
}

/** Inactive services are reported elsewhere; masked sockets are intentional. */
function checkRunning(units: ReadonlyMap<string, UnitProperties>): readonly Finding[] {
  if (units.get(SERVICE)?.['ActiveState'] !== 'active') return [];
  return UNITS.filter((name) => name !== SERVICE).flatMap((name): readonly Finding[] => {
    const { LoadState, ActiveState = '' } = units.get(name) ?? {};
    if (LoadState === 'masked' || ActiveState === 'active') return [];
    const [effect, advice] =
      name === PORTS
        ? ['the next restart refuses clients', 'systemctl restart penstock']
        : ['no bundle can be started', `systemctl start ${name}`];
    return [{ check: CHECK, state: 'WRONG', detail: `${name} is ${ActiveState}: ${effect}`, advice }];
  });
}

function checkRestarts(
  { NRestarts = '0', ActiveEnterTimestamp = '' }: UnitProperties,
  nowMs: number,
): readonly Finding[] {
  const restarts = Number(NRestarts);
  if (!(restarts > 0)) return [];
  const sinceMs = Number(ActiveEnterTimestamp.replace('@', '')) * 1000;
  const isRecent = Number.isFinite(sinceMs) && nowMs - sinceMs < HOUR_MS;
  const times = restarts === 1 ? 'once' : `${restarts} times in a row`;
  const last = sinceMs > 0 ? `, the last time at ${formatLocalTime(sinceMs)}` : '';
  const state = isRecent && restarts >= FEW_RESTARTS ? 'WRONG' : 'WARNING';
  const advice = 'journalctl -u penstock -p warning; reset the count with: systemctl restart penstock';
  return [{ check: CHECK, state, detail: `the daemon exited unexpectedly ${times}${last}`, advice }];
}

/**
 * Checks the last status of the daemon, the only information about a stopped one.
 *
 * @param isResponding false: it has ended, or listens on another socket
 */
export async function checkDaemonStatus(
  dataDirectory: string,
  isResponding: boolean,
): Promise<readonly Finding[]> {
  const words = await readDaemonStatus(dataDirectory);
  if (words === undefined) return [];
  const { state, timeMs, reason = '' } = words;
  const time = formatLocalTime(timeMs);
  if (state === 'RELOAD_FAILED') {
    const detail = `${time}: ${reason}`;
    const advice = 'fix it, then: systemctl reload penstock; until then the previous configuration is active';
    return [{ check: 'reload', state: 'WRONG', detail, advice }];
  }
  if (isResponding) return [];
  const running = await findRunning(dataDirectory);
  if (running !== undefined) {
    const found = `it runs (process ${running.pid}) and was not reached`;
    return [{ check: 'daemon', state: 'WARNING', detail: found, advice: 'name its socket with --socket' }];
  }
  const isDamaged = reason.includes('is not an intact database');
  const advice = isDamaged
    ? 'penstock restore FILE --replace, with the newest backup, then: systemctl restart penstock'
    : 'fix it, then: systemctl restart penstock; for details: journalctl -u penstock -n 50';
  const detail = {
    FAILED: `the daemon ended at ${time}: ${reason}`,
    STOPPED: `the daemon was stopped at ${time}`,
    SERVING: `the daemon ended after ${time} without a final status: it was killed, or the power failed`,
    RELOADED: `the daemon ended after ${time} without a final status: it was killed, or the power failed`,
  }[state];
  return [{ check: 'daemon', state: 'WRONG', detail, advice }];
}

// After a start, the clock is not synchronized yet.
const SETTLING_SECONDS = 600;

/**
 * Checks that the clock is synchronized: a free-running clock drifts by seconds per week. In a container only the host can
 * set it.
 */
export function checkClockSource(
  { clock }: ServiceStatus,
  { isContainer, uptimeSeconds }: { readonly isContainer: boolean; readonly uptimeSeconds: number },
): Finding {
  if (clock === undefined) return { check: 'time', state: 'UNKNOWN', detail: 'not checked: no timedatectl' };
  const { CanNTP, NTP, NTPSynchronized } = clock;
  if (NTPSynchronized === 'yes') return { check: 'time', state: 'GOOD', detail: 'the clock is synchronized' };
  if (isContainer) {
    return { check: 'time', state: 'UNKNOWN', detail: 'not checked: the clock is that of the host' };
  }
  if (CanNTP === 'no') {
    const detail = 'the clock is not synchronized: no NTP client is installed';
    return { check: 'time', state: 'WRONG', detail, advice: 'apt-get install systemd-timesyncd' };
  }
  if (NTP === 'no') {
    const detail = 'the clock is not synchronized: NTP is disabled';
    return { check: 'time', state: 'WRONG', detail, advice: 'timedatectl set-ntp true' };
  }
  const detail = 'the clock is not synchronized: no time server has responded';
  const advice = 'check the network and the servers: timedatectl timesync-status';
  return { check: 'time', state: uptimeSeconds < SETTLING_SECONDS ? 'WARNING' : 'WRONG', detail, advice };
}
