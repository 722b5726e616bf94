import type { AddressInfo, Server, Socket } from 'node:net';
import type { ServerTCP } from 'modbus-serial';
import type { Table } from '../../drivers/modbus/modbus-address.ts';

/** The tables of a simulated plant; an error of a method is returned as exception 04. */
export interface PlantMemory {
  /**
   * Returns one register or coil: 0 or 1 in a bit table, 0..65535 in a register table; undefined if the unit has no such
   * address, which is returned as exception 02.
   */
  read(unitId: number, table: Table, offset: number): number | undefined;
  /**
   * Sets one coil or holding register.
   *
   * @returns false if the unit has no such address
   */
  write(unitId: number, table: Table, offset: number, value: number): boolean;
}

/** Settings of a server. */
export interface ModbusServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly memory: PlantMemory;
}

/** A running Modbus server. */
export interface ModbusServer {
  readonly port: number;
  /** Ends all connections and frees the port. */
  close(): Promise<void>;
}

const MAXIMUM_CONNECTIONS = 256;
// For clients that send requests and never read the responses.
const MAXIMUM_UNREAD_BYTES = 1_048_576;

/**
 * Serves the memory of a simulated plant over Modbus TCP, to every client that can connect.
 *
 * Function codes 1 to 6, 15 and 16; others return exception 01.
 *
 * @throws the error of the socket when the port cannot be opened
 */
export async function startModbusServer({ host, port, memory }: ModbusServerOptions): Promise<ModbusServer> {
  // Loaded lazily: no other command needs it.
  const library = await import('modbus-serial');
  // The library treats 0 as "not given" and would open 502; it passes the text "0" on to the socket, which reads a number.
  const givenPort = port === 0 ? ('0' as unknown as number) : port;
  const server = new library.ServerTCP(createVector(memory), { host, port: givenPort });
  const netServer = netServerOf(server);
  netServer.maxConnections = MAXIMUM_CONNECTIONS;
  netServer.on('connection', (socket: Socket) => {
    socket.on('data', () => {
      if (socket.writableLength > MAXIMUM_UNREAD_BYTES) socket.destroy();
    });
  });
  // Emitted when a client resets its connection; without a listener the event would end the process.
  server.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.on('initialized', () => resolve());
    server.on('serverError', (error) => reject(error ?? new Error('the server did not start')));
  });
  return {
    port: (netServer.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

// The library provides no other access to the opened port.
function netServerOf(server: ServerTCP): Server {
  return (server as unknown as { readonly _server: Server })._server;
}

/** An exception in the form in which the library expects it to be thrown. */
class AnswerException extends Error {
  readonly modbusErrorCode = 0x02;
}

function createVector(memory: PlantMemory): ConstructorParameters<typeof ServerTCP>[0] {
  const read = (table: Table, offset: number, unitId: number): number => {
    const value = offset > 65_535 ? undefined : memory.read(unitId, table, offset);
    if (value === undefined) throw new AnswerException('no such entry');
    return value;
  };
  // All addresses are checked before the first is set, so that a refused request changes nothing.
  const writeAll = (table: Table, offset: number, values: readonly number[], unitId: number): void => {
    for (const index of values.keys()) read(table, offset + index, unitId);
    for (const [index, value] of values.entries()) {
      if (!memory.write(unitId, table, offset + index, value)) throw new AnswerException('no such entry');
    }
  };
  return {
    getCoil: (offset: number, unitId: number) => read('COILS', offset, unitId) !== 0,
    getDiscreteInput: (offset: number, unitId: number) => read('DISCRETE_INPUTS', offset, unitId) !== 0,
    getInputRegister: (offset: number, unitId: number) => read('INPUT_REGISTERS', offset, unitId),
    getHoldingRegister: (offset: number, unitId: number) => read('HOLDING_REGISTERS', offset, unitId),
    setCoil: (offset: number, value: boolean, unitId: number) =>
      writeAll('COILS', offset, [Number(value)], unitId),
    setRegister: (offset: number, value: number, unitId: number) =>
      writeAll('HOLDING_REGISTERS', offset, [value], unitId),
    setRegisterArray: (offset: number, values: number[], unitId: number) =>
      writeAll('HOLDING_REGISTERS', offset, values, unitId),
  };
}
