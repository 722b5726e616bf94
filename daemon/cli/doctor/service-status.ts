import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Properties of a unit from `systemctl show`. */
export type UnitProperties = Readonly<Record<string, string>>;

/** Status of the package units and of the clock, from systemd; undefined without a response. */
export interface ServiceStatus {
  readonly units: ReadonlyMap<string, UnitProperties> | undefined;
  readonly clock: UnitProperties | undefined;
}

/** Units of the package that must be active. */
export const UNITS = ['penstock.service', 'penstock.socket', 'penstock-launcher.socket'] as const;

/** Units of the daily backup, which an administrator can enable. */
export const BACKUP_UNITS = ['penstock-backup.service', 'penstock-backup.timer'] as const;

const PROPERTIES = [
  'Id',
  'LoadState',
  'LoadError',
  'UnitFileState',
  'ActiveState',
  'NRestarts',
  'ActiveEnterTimestamp',
  'NeedDaemonReload',
  'DropInPaths',
  'ExecStart',
  'Result',
  'ExecMainStatus',
  'ExecMainExitTimestamp',
  'ConditionResult',
  'ConditionTimestamp',
];
// A blocked service manager must not block the doctor.
const TIMEOUT_MS = 10_000;

/** Queries the service manager; read-only. */
export async function readServiceStatus(): Promise<ServiceStatus> {
  const [units, clock] = await Promise.all([
    run('systemctl', [
      'show',
      '--timestamp=unix',
      `--property=${PROPERTIES.join(',')}`,
      ...UNITS,
      ...BACKUP_UNITS,
    ]),
    run('timedatectl', ['show', '--property=CanNTP', '--property=NTP', '--property=NTPSynchronized']),
  ]);
  return {
    units: units === undefined ? undefined : parseUnits(units),
    clock: clock === undefined ? undefined : parseProperties(clock),
  };
}

async function run(program: string, parameters: readonly string[]): Promise<string | undefined> {
  try {
    const env = { ...process.env, LC_ALL: 'C' };
    return (await promisify(execFile)(program, parameters, { env, timeout: TIMEOUT_MS })).stdout;
  } catch {
    return undefined;
  }
}

function parseUnits(text: string): ReadonlyMap<string, UnitProperties> {
  const units = text.split(/\n\n+/).map(parseProperties);
  return new Map(units.map((unit) => [unit['Id'] ?? '', unit]));
}

function parseProperties(text: string): UnitProperties {
  return Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const position = line.indexOf('=');
      return position < 0 ? [] : [[line.slice(0, position), line.slice(position + 1)]];
    }),
  );
}
