import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { PLANT_ASSETS } from './plant-channels.ts';
import type { PlantChannel } from './plant-channels.ts';
import type { SimulatedPlant } from './plant-memory.ts';
import { STEP_MS } from './plant-model.ts';
import { ProtocolUnavailable } from './plant-protocol.ts';
import type { OpenProtocol } from './plant-protocol.ts';

/** The part of the package that is used. */
interface ServerPackage {
  readonly OPCUAServer: new (options: object) => Server;
  readonly OPCUACertificateManager: new (options: object) => object;
  readonly Variant: new (options: {
    readonly dataType: number;
    readonly arrayType: number;
    readonly value: unknown;
  }) => object;
  readonly VariantArrayType: { readonly Scalar: number };
  readonly DataType: Readonly<Record<string, number>>;
  readonly MessageSecurityMode: { readonly None: number };
  readonly SecurityPolicy: { readonly None: string };
  readonly StatusCodes: { readonly Good: object; readonly BadOutOfRange: object };
  readonly nodesets: { readonly standard: string };
}

interface Server {
  readonly engine: { readonly addressSpace: AddressSpace | null };
  readonly endpoints: readonly { readonly port: number }[];
  initialize(): Promise<void>;
  start(): Promise<void>;
  shutdown(timeoutMs: number): Promise<void>;
}

interface AddressSpace {
  readonly rootFolder: { readonly objects: object };
  getOwnNamespace(): {
    addFolder(parent: object, options: object): object;
    addVariable(options: object): object;
  };
}

const DATA_TYPES = {
  BOOLEAN: 'Boolean',
  FLOAT: 'Float',
  INTEGER: 'Int32',
  LONG: 'Int64',
  STRING: 'String',
} as const;

const LARGEST_INPUT = 0x7fff;

/** Returns the NodeId of a value of the plant: `ns=1;s=boiler.setpoint`. */
export function nodeIdOf(pid: string, name: string): string {
  return `ns=1;s=${pid}.${name}`;
}

/**
 * Serves the plant over OPC UA, without security, to every client that can connect, with a variable for each value of each unit.
 *
 * @param port 0 for any free port
 * @throws {ProtocolUnavailable} when the server is not installed
 */
export async function openOpcua(plant: SimulatedPlant, host: string, port: number): Promise<OpenProtocol> {
  const library = await loadServerPackage();
  const directory = await mkdtemp(path.join(tmpdir(), 'penstock-opcua-'));
  const certificates = new library.OPCUACertificateManager({ rootFolder: directory });
  const server = new library.OPCUAServer({
    port,
    host,
    hostname: host,
    serverCertificateManager: certificates,
    userCertificateManager: certificates,
    securityModes: [library.MessageSecurityMode.None],
    securityPolicies: [library.SecurityPolicy.None],
    disableDiscovery: true,
    nodeset_filename: [library.nodesets.standard],
    serverInfo: { applicationUri: 'urn:penstock:plant' },
    buildInfo: { productName: 'Penstock simulated plant' },
  });
  const close = async (): Promise<void> => {
    await server.shutdown(0);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await server.initialize();
    addVariables(library, server, plant);
    await server.start();
  } catch (error) {
    await close();
    throw error;
  }
  return { protocol: 'opcua', endpoint: `opc.tcp://${host}:${server.endpoints[0]?.port ?? port}`, close };
}

async function loadServerPackage(): Promise<ServerPackage> {
  try {
    // Only a checkout has the server package; the other protocols of the plant run without it.
    return (await import('node-opcua')) as unknown as ServerPackage;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const detail = 'the package node-opcua is not installed; it comes with a checkout, not with the product';
    throw new ProtocolUnavailable({ code: 'OPCUA_SERVER_MISSING', detail, cause });
  }
}

function addVariables(library: ServerPackage, { engine }: Server, plant: SimulatedPlant): void {
  const { addressSpace } = engine;
  if (addressSpace === null) throw new TypeError('the server has no address space');
  const namespace = addressSpace.getOwnNamespace();
  for (const { pid, channels } of PLANT_ASSETS) {
    const folder = namespace.addFolder(addressSpace.rootFolder.objects, { browseName: pid });
    for (const source of channels) {
      const { name, valueType } = source.channel;
      namespace.addVariable({
        componentOf: folder,
        browseName: name,
        nodeId: nodeIdOf(pid, name).replace('ns=1;', ''),
        dataType: DATA_TYPES[valueType],
        accessLevel: source.toInput === undefined ? 'CurrentRead' : 'CurrentRead | CurrentWrite',
        minimumSamplingInterval: STEP_MS,
        value: createAccess(library, source, plant),
      });
    }
  }
}

function createAccess(library: ServerPackage, source: PlantChannel, plant: SimulatedPlant): object {
  const { valueType, valueScale = 1 } = source.channel;
  const { toInput } = source;
  const dataType = library.DataType[DATA_TYPES[valueType]] ?? 0;
  const get = (): object => {
    const raw = source.read(plant.values);
    // Scales are 1 and 0.1; dividing by 10 yields the nearest decimal, multiplying by 0.1 does not.
    const value = typeof raw === 'number' ? raw / Math.round(1 / valueScale) : raw;
    return new library.Variant({
      dataType,
      // The library represents a 64-bit integer by two words, which would be taken for an array.
      arrayType: library.VariantArrayType.Scalar,
      value: typeof value === 'bigint' ? splitInt64(value) : value,
    });
  };
  if (toInput === undefined) return { get };
  const set = ({ value }: { readonly value: number | boolean }): object => {
    const raw = Math.round(Number(value) / valueScale);
    if (!(Math.abs(raw) <= LARGEST_INPUT)) return library.StatusCodes.BadOutOfRange;
    // Inputs are register values, negative numbers in two's complement.
    plant.apply(toInput(raw & 0xffff));
    return library.StatusCodes.Good;
  };
  return { get, set };
}

/** Splits a 64-bit integer into two words as the library expects them, the high word first. */
function splitInt64(value: bigint): readonly [number, number] {
  const bits = BigInt.asUintN(64, value);
  return [Number(bits >> 32n), Number(bits & 0xffff_ffffn)];
}
