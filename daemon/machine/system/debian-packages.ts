import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';

const STATUS_FILE = '/var/lib/dpkg/status';
const FIELD = /^(Package|Version|Status): (.*)$/;

/** An installed Debian package. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
}

/**
 * Lists the installed Debian packages of the machine, sorted by name, from the file that dpkg keeps (dpkg(1), deb-control(5)).
 *
 * @param file default: that of dpkg
 * @returns empty on a machine without dpkg
 */
export async function listDebianPackages(file = STATUS_FILE): Promise<readonly DebianPackage[]> {
  if (!(await exists(file))) return [];
  const packages: DebianPackage[] = [];
  let fields: Record<string, string> = {};
  const finish = (): void => {
    const { Package: name, Version: version, Status: status } = fields;
    if (name !== undefined && version !== undefined && status?.endsWith(' installed') === true)
      packages.push({ name, version });
    fields = {};
  };
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (line === '') finish();
    const [, field, value] = FIELD.exec(line) ?? [];
    if (field !== undefined && value !== undefined) fields[field] = value;
  }
  finish();
  return packages.sort((one, other) => (one.name < other.name ? -1 : 1));
}

async function exists(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
