import type { ResultOf } from '../../../interface/endpoint.ts';
import {
  filterExtendedProperties,
  filterFrameworkProperties,
  filterKuraProperties,
  readExtendedProperties,
  readFrameworkProperties,
  readKuraProperties,
} from '../../../interface/kura/system.ts';
import type { SystemProperties } from '../../../machine/system/system-properties.ts';
import { ok } from '../../http/answer.ts';
import { implement } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';

type FrameworkProperties = ResultOf<typeof readFrameworkProperties>;
type KuraProperties = ResultOf<typeof readKuraProperties>['kuraProperties'];

interface KuraSystemRouteParts {
  readonly readSystem: () => Promise<SystemProperties>;
  readonly version: string;
  readonly hasConsole: () => boolean;
  /** Maximum size of an uploaded package. */
  readonly maximumPackageBytes: () => number;
}

const UNKNOWN = 'UNKNOWN';
// There is no Java.
const NOT_AVAILABLE = 'N/A';
const MIB = 1_048_576;

/** Creates the endpoints of `system/v1` of Kura. */
export function createKuraSystemRoutes(parts: KuraSystemRouteParts): readonly Route[] {
  const readFramework = async () => toFrameworkProperties(await parts.readSystem(), parts);
  const readKura = async () => toKuraProperties(await parts.readSystem(), parts);
  return [
    implement(readFrameworkProperties, async () => ok(await readFramework())),
    implement(filterFrameworkProperties, async ({ body: { names } }) =>
      ok(pick(await readFramework(), names)),
    ),
    implement(readKuraProperties, async () => ok({ kuraProperties: await readKura() })),
    implement(filterKuraProperties, async ({ body: { names } }) =>
      ok({ kuraProperties: pick(await readKura(), names) }),
    ),
    implement(readExtendedProperties, () => ok({})),
    implement(filterExtendedProperties, () => ok({})),
  ];
}

function pick<Value>(
  all: Readonly<Record<string, Value>>,
  names: readonly string[] = [],
): Record<string, Value> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
}

function toFrameworkProperties(system: SystemProperties, parts: KuraSystemRouteParts): FrameworkProperties {
  const { model = UNKNOWN, networkInterface } = system;
  const noJava = [
    'javaHome',
    'javaVendor',
    'javaVersion',
    'javaVmInfo',
    'javaVmName',
    'javaVmVersion',
    'javaVmVendor',
    'jdkVendorVersion',
  ];
  return {
    biosVersion: system.firmwareVersion ?? UNKNOWN,
    cpuVersion: system.processorModel ?? UNKNOWN,
    deviceName: system.hostName,
    modelId: model,
    modelName: model,
    partNumber: UNKNOWN,
    platform: system.architecture,
    serialNumber: system.serialNumber ?? UNKNOWN,
    firmwareVersion: system.firmwareVersion ?? UNKNOWN,
    numberOfProcessors: system.processors,
    totalMemory: system.totalMemoryKib,
    freeMemory: system.freeMemoryKib,
    ...Object.fromEntries(noJava.map((name) => [name, NOT_AVAILABLE])),
    osArch: system.architecture,
    osDistro: system.distribution ?? UNKNOWN,
    osDistroVersion: system.distributionVersion ?? UNKNOWN,
    osName: 'Linux',
    osVersion: system.kernelRelease,
    primaryMacAddress: networkInterface?.hardwareAddress ?? UNKNOWN,
    primaryNetworkInterfaceName: networkInterface?.name ?? UNKNOWN,
    fileSeparator: '/',
    isLegacyBluetoothBeaconScan: false,
    isLegacyPPPLoggingEnabled: false,
    kuraHaveWebInterface: parts.hasConsole(),
    kuraHaveNetAdmin: false,
    kuraVersion: parts.version,
  };
}

function toKuraProperties(system: SystemProperties, parts: KuraSystemRouteParts): KuraProperties {
  const { version, maximumPackageBytes } = parts;
  return {
    'kura.version': version,
    'kura.name': 'Penstock',
    'kura.device.name': system.hostName,
    'kura.platform': system.architecture,
    'kura.model.name': system.model ?? UNKNOWN,
    'kura.serialNumber': system.serialNumber ?? UNKNOWN,
    'kura.have.net.admin': 'false',
    'kura.have.web.inter': String(parts.hasConsole()),
    'file.upload.size.max': String(Math.floor(maximumPackageBytes() / MIB)),
    'os.name': 'Linux',
    'os.version': system.kernelRelease,
    'os.arch': system.architecture,
    'os.distribution': system.distribution ?? UNKNOWN,
    'os.distribution.version': system.distributionVersion ?? UNKNOWN,
    'java.home': NOT_AVAILABLE,
    version,
    'build.version': version,
  };
}
