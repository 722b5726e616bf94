import path from 'node:path';

/** Returns the name of a serial line for clients: the last part of its path, as `usb-FTDI_FT232R-if00-port0`. */
export function nameLine(device: string): string {
  return path.posix.basename(device);
}
