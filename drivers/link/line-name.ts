import path from 'node:path';

/**
 * Returns the name of a serial line for clients: the last part of its path, as `usb-FTDI_FT232R-if00-port0`; with the part
 * before where the last one is a number alone, as `pts/0`.
 */
export function nameLine(device: string): string {
  const name = path.posix.basename(device);
  const folder = path.posix.basename(path.posix.dirname(device));
  return /^\d+$/.test(name) && folder !== '' && folder !== '.' ? `${folder}/${name}` : name;
}
