import { PLANT_ASSETS } from '../../simulator/plant-channels.ts';
import { nodeIdOf } from '../../simulator/plant-opcua.ts';
import { PANEL_CHANNELS, PANEL_LINE } from '../../simulator/plant-panel.ts';
import type { PlantEndpoints, PlantProtocol } from '../../simulator/plant-protocol.ts';

/** Protocols that the demonstration uses. */
export const DEMO_PROTOCOLS: readonly PlantProtocol[] = ['modbus-tcp', 'modbus-rtu', 'opcua', 'serial'];

/** One device of the demonstration with its configuration. */
export interface DemoDevice {
  /** Display name of the protocol. */
  readonly protocol: string;
  readonly endpoint: string;
  /** Item of the section `drivers`. */
  readonly driver: { readonly pid: string; readonly type: string } & Readonly<Record<string, unknown>>;
  readonly assets: readonly { readonly pid: string; readonly channels: readonly object[] }[];
}

/** Lists the available devices with their drivers and assets. */
export function listDemoDevices(endpoints: PlantEndpoints): readonly DemoDevice[] {
  return [
    ...toDevices(endpoints['modbus-tcp'], createModbusTcp),
    ...toDevices(endpoints['modbus-rtu'], createModbusRtu),
    ...toDevices(endpoints.opcua, createOpcua),
    ...toDevices(endpoints.serial, createSerial),
  ];
}

function toDevices(
  endpoint: string | undefined,
  create: (endpoint: string) => DemoDevice,
): readonly DemoDevice[] {
  return endpoint === undefined ? [] : [create(endpoint)];
}

function createModbusTcp(endpoint: string): DemoDevice {
  const { hostname, port } = new URL(`tcp://${endpoint}`);
  return {
    protocol: 'Modbus TCP',
    endpoint,
    driver: { pid: 'plantTcp', type: 'modbus', transport: 'tcp', host: hostname, port: Number(port) },
    assets: PLANT_ASSETS.map(({ pid, channels }) => ({
      pid,
      channels: channels.map(({ channel }) => channel),
    })),
  };
}

function createModbusRtu(endpoint: string): DemoDevice {
  return {
    protocol: 'Modbus RTU',
    endpoint,
    // A pseudo terminal has no parity.
    driver: { pid: 'plantRtu', type: 'modbus', transport: 'rtu', device: endpoint, parity: 'none' },
    assets: PLANT_ASSETS.map(({ pid, channels }) => ({
      pid: `${pid}Rtu`,
      channels: channels.map(({ channel }) => channel),
    })),
  };
}

function createOpcua(endpoint: string): DemoDevice {
  return {
    protocol: 'OPC UA',
    endpoint,
    driver: { pid: 'plantOpcua', type: 'opcua', endpointUrl: endpoint, securityMode: 'NONE' },
    assets: PLANT_ASSETS.map(({ pid, channels }) => ({
      pid: `${pid}Opcua`,
      // The server returns scaled values.
      channels: channels.map(({ channel: { valueScale: _scale, ...channel } }) => ({
        ...channel,
        address: { nodeId: nodeIdOf(pid, channel.name) },
      })),
    })),
  };
}

function createSerial(endpoint: string): DemoDevice {
  return {
    protocol: 'serial, lines of text',
    endpoint,
    driver: { pid: 'panelLine', type: 'serial', device: endpoint, ...PANEL_LINE },
    assets: [{ pid: 'panel', channels: PANEL_CHANNELS }],
  };
}
