import { readFile } from 'node:fs/promises';
import { arch, cpus, hostname, networkInterfaces, release, totalmem, freemem } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';

// Files of Linux with what the firmware says of the machine (SMBIOS), and the model of a board with a device tree.
const FIRMWARE = '/sys/class/dmi/id';
const BOARD_MODEL = '/proc/device-tree/model';
const KIB = 1024;

/** What a machine says of itself; undefined: unknown, or not readable for the daemon. */
export interface SystemProperties {
  readonly hostName: string;
  readonly architecture: string;
  readonly kernelRelease: string;
  readonly distribution: string | undefined;
  readonly distributionVersion: string | undefined;
  readonly model: string | undefined;
  readonly manufacturer: string | undefined;
  readonly serialNumber: string | undefined;
  readonly firmwareVersion: string | undefined;
  readonly processorModel: string | undefined;
  readonly processors: number;
  readonly totalMemoryKib: number;
  readonly freeMemoryKib: number;
  /** The first interface with a hardware address. */
  readonly networkInterface: { readonly name: string; readonly hardwareAddress: string } | undefined;
}

/** Reads the properties of the machine. */
export async function readSystemProperties(): Promise<SystemProperties> {
  const text = await readText('/etc/os-release');
  const system = text === undefined ? {} : parseEnv(text);
  const fromFirmware = (name: string): Promise<string | undefined> => readText(path.join(FIRMWARE, name));
  const [processor] = cpus();
  return {
    hostName: hostname(),
    architecture: arch(),
    kernelRelease: release(),
    distribution: system['NAME'],
    distributionVersion: system['VERSION_ID'],
    model: (await fromFirmware('product_name')) ?? (await readText(BOARD_MODEL)),
    manufacturer: await fromFirmware('sys_vendor'),
    serialNumber: await fromFirmware('product_serial'),
    firmwareVersion: await fromFirmware('bios_version'),
    processorModel: processor?.model,
    processors: cpus().length,
    totalMemoryKib: Math.round(totalmem() / KIB),
    freeMemoryKib: Math.round(freemem() / KIB),
    networkInterface: findInterface(),
  };
}

function findInterface(): SystemProperties['networkInterface'] {
  for (const [name, addresses = []] of Object.entries(networkInterfaces())) {
    const found = addresses.find(({ internal, mac }) => !internal && mac !== '00:00:00:00:00:00');
    if (found !== undefined) return { name, hardwareAddress: found.mac };
  }
  return undefined;
}

async function readText(file: string): Promise<string | undefined> {
  try {
    const text = (await readFile(file, 'utf8')).replaceAll('\0', '').trim();
    return text === '' ? undefined : text;
  } catch {
    return undefined;
  }
}
