import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Properties of a unit, as `systemctl show` has them. */
export type UnitProperties = Readonly<Record<string, string>>;

/** What the service manager says of the units of the package and of the clock; undefined: there is none that answers. */
export interface ServiceStatus {
  readonly units: ReadonlyMap<string, UnitProperties> | undefined;
  readonly clock: UnitProperties | undefined;
}

/** The units of the package that have to run. */
export const UNITS = ['penstock.service', 'penstock.socket', 'penstock-launcher.socket'] as const;

/** The units of the package that make a backup each day, where an administrator has enabled the second. */
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
// A manager that is stuck must not keep the doctor waiting.
const TIMEOUT_MS = 10_000;

/** Asks the service manager; it changes nothing. */
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
