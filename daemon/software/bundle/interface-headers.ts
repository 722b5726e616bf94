import { BundleError } from './bundle-error.ts';

/** Version of the interface for bundles that this gateway has; it runs bundles of all versions up to it. */
export const INTERFACE_VERSION = 2;
/** What a manifest may ask for, in MiB. */
const MEMORY_RANGE_MIB = { minimum: 32, maximum: 1024 } as const;

/** Manifest headers with which a bundle names what it needs of the gateway. */
export interface InterfaceHeaders {
  /** Header `Penstock-Interface`; absent: 1. */
  readonly interfaceVersion?: number | undefined;
  /** Header `Penstock-Memory`: resident memory in MiB; absent: as every bundle. */
  readonly memoryMib?: number | undefined;
  /** Header `Penstock-Settings`: path of the JSON Schema of its settings; absent: it has none. */
  readonly settingsPath?: string | undefined;
}

/**
 * Reads the headers `Penstock-Interface`, `Penstock-Memory` and `Penstock-Settings`.
 *
 * @param find returns the value of a header
 * @throws {BundleError} `BUNDLE_INTERFACE_UNSUPPORTED` for a version that this gateway does not have, or a header with another form
 */
export function parseInterfaceHeaders(find: (header: string) => string | undefined): InterfaceHeaders {
  const version = find('Penstock-Interface');
  const memory = find('Penstock-Memory');
  const settingsPath = find('Penstock-Settings');
  const interfaceVersion = version === undefined ? undefined : parseNumber('Penstock-Interface', version);
  if (interfaceVersion !== undefined && (interfaceVersion < 1 || interfaceVersion > INTERFACE_VERSION)) {
    const detail = `it needs version ${interfaceVersion}, and this gateway has versions 1 to ${INTERFACE_VERSION}`;
    throw refusal('Penstock-Interface', detail);
  }
  const memoryMib = memory === undefined ? undefined : parseNumber('Penstock-Memory', memory);
  const { minimum, maximum } = MEMORY_RANGE_MIB;
  if (memoryMib !== undefined && (memoryMib < minimum || memoryMib > maximum))
    throw refusal('Penstock-Memory', `expected ${minimum} to ${maximum} (MiB), not ${memoryMib}`);
  return { interfaceVersion, memoryMib, settingsPath };
}

function parseNumber(header: string, text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw refusal(header, `expected a whole number, not "${text.slice(0, 40)}"`);
}

function refusal(header: string, detail: string): BundleError {
  return new BundleError('BUNDLE_INTERFACE_UNSUPPORTED', `${header}: ${detail}`);
}
