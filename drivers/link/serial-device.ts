import { readlink, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Checks without opening that a path is a terminal device: opening another device can start it, for example a watchdog.
 *
 * @throws the system error if there is nothing; an error with the words "no serial line" for anything else
 */
export async function checkSerialDevice(device: string): Promise<void> {
  const stats = await stat(device);
  const kind = stats.isCharacterDevice() ? await findDeviceClass(stats.rdev) : 'none';
  if (kind !== undefined && kind !== 'tty') throw new Error(`no serial line: ${device}`);
}

/** Returns the class of a character device; undefined for those not listed in sysfs, such as pseudo terminals. */
async function findDeviceClass(rdev: number): Promise<string | undefined> {
  // makedev(3): glibc stores the low parts of both numbers in the low 20 bits, and no serial driver has more.
  const [major, minor] = [(rdev >> 8) & 0xfff, (rdev & 0xff) | ((rdev >> 12) & 0xfff00)];
  try {
    return path.basename(await readlink(`/sys/dev/char/${major}:${minor}/subsystem`));
  } catch {
    return undefined;
  }
}

/**
 * Returns the name of a serial line for clients: the last part of its path, for example `usb-FTDI_FT232R-if00-port0`;
 * with the previous part if the last one is only a number, for example `pts/0`.
 */
export function nameLine(device: string): string {
  const name = path.posix.basename(device);
  const folder = path.posix.basename(path.posix.dirname(device));
  return /^\d+$/.test(name) && folder !== '' && folder !== '.' ? `${folder}/${name}` : name;
}
