import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** One request as it came over the wire. */
export interface FaultRequest {
  readonly transactionId: number;
  readonly unitId: number;
  readonly pdu: Buffer;
  /** Position among all requests of the server. */
  readonly index: number;
  /** Position of its connection among all connections of the server. */
  readonly connection: number;
}

/** What a script may do to the connection of a request. */
export interface FaultConnection {
  send(bytes: Uint8Array): void;
  /** Sends the bytes and waits until the driver has had the chance to see them on their own. */
  sendAlone(bytes: Uint8Array): Promise<void>;
  /** Ends the connection with RST. */
  reset(): void;
  /** Ends the connection with FIN. */
  end(): void;
}

export type FaultScript = (request: FaultRequest, connection: FaultConnection) => void;

export interface FaultServer extends AsyncDisposable {
  readonly port: number;
  readonly requests: readonly FaultRequest[];
  /** Connections accepted so far. */
  connectionCount(): number;
  /** Connections open now. */
  openConnectionCount(): number;
  /** Resolves when that many requests have come in. */
  received(count: number): Promise<void>;
  /** Acts on every open connection. */
  forEachConnection(action: (connection: FaultConnection) => void): void;
  close(): Promise<void>;
}

/**
 * Starts a server that speaks Modbus TCP; a script chooses its answers.
 *
 * @param host where it listens
 */
export async function startFaultServer(script: FaultScript, host = '127.0.0.1'): Promise<FaultServer> {
  const sockets = new Set<Socket>();
  const requests: FaultRequest[] = [];
  const waiting = new Set<{ readonly count: number; readonly resolve: () => void }>();
  let connections = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    const connection = connections;
    connections += 1;
    sockets.add(socket);
    let held = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes: Buffer) => {
      held = Buffer.concat([held, bytes]);
      while (held.length >= 6 && held.length >= 6 + held.readUInt16BE(4)) {
        const end = 6 + held.readUInt16BE(4);
        const request: FaultRequest = {
          transactionId: held.readUInt16BE(0),
          unitId: held[6] ?? 0,
          pdu: held.subarray(7, end),
          index: requests.length,
          connection,
        };
        held = held.subarray(end);
        requests.push(request);
        script(request, toConnection(socket));
        for (const waiter of waiting) if (requests.length >= waiter.count) waiter.resolve();
      }
    });
  });
  server.listen(0, host);
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => {
      server.close(resolve);
    });
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    connectionCount: () => connections,
    openConnectionCount: () => sockets.size,
    received: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.add({ count, resolve });
      }),
    forEachConnection(action) {
      for (const socket of sockets) action(toConnection(socket));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Creates a frame with a header of any content. */
export function createFrame({
  transactionId,
  unitId,
  pdu,
  protocolId = 0,
  length = pdu.length + 1,
}: {
  readonly transactionId: number;
  readonly unitId: number;
  readonly pdu: Uint8Array;
  readonly protocolId?: number;
  readonly length?: number;
}): Buffer {
  const frame = Buffer.alloc(7 + pdu.length);
  frame.writeUInt16BE(transactionId, 0);
  frame.writeUInt16BE(protocolId, 2);
  frame.writeUInt16BE(length, 4);
  frame[6] = unitId;
  frame.set(pdu, 7);
  return frame;
}

/**
 * Creates the PDU that answers a request as it should be: registers hold their offset, bits are 0, writes are repeated.
 *
 * @param more added to the value of each register
 */
export function answerPdu({ pdu }: FaultRequest, more = 0): Buffer {
  const functionCode = pdu[0] ?? 0;
  const offset = pdu.readUInt16BE(1);
  const quantity = pdu.readUInt16BE(3);
  if (functionCode === 15 || functionCode === 16) return Buffer.from(pdu.subarray(0, 5));
  if (functionCode > 4) return Buffer.from(pdu);
  const bytes = functionCode <= 2 ? Math.ceil(quantity / 8) : 2 * quantity;
  const answer = Buffer.alloc(2 + bytes);
  answer[0] = functionCode;
  answer[1] = bytes;
  const registers = functionCode > 2 ? quantity : 0;
  for (let index = 0; index < registers; index += 1) {
    answer.writeUInt16BE((offset + index + more) & 0xffff, 2 + 2 * index);
  }
  return answer;
}

/**
 * Creates the frame that answers a request as it should be.
 *
 * @param more added to the value of each register
 */
export function answerFrame(request: FaultRequest, more = 0): Buffer {
  return createFrame({ ...request, pdu: answerPdu(request, more) });
}

/** Creates the frame that refuses a request. */
export function exceptionFrame(request: FaultRequest, exceptionCode: number): Buffer {
  return createFrame({ ...request, pdu: Buffer.from([(request.pdu[0] ?? 0) | 0x80, exceptionCode]) });
}

function toConnection(socket: Socket): FaultConnection {
  return {
    send: (bytes) => void socket.write(bytes),
    sendAlone: async (bytes) => {
      await new Promise<void>((resolve) => {
        socket.write(bytes, () => resolve());
      });
      // Two turns of the event loop: the driver runs in the same process and reads in between.
      for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    },
    reset: () => void socket.resetAndDestroy(),
    end: () => void socket.end(),
  };
}
