import { connect } from 'node:net';
import type { Socket } from 'node:net';

import { encodeFrame, FrameReader } from '../../drivers/modbus/pdu/mbap.ts';
import { messageOf } from '../base/errors.ts';
import type { PlantMemory } from './modbus-server.ts';
import { answerRequest, createRtuServer } from './rtu-server.ts';

/** Frames over a connection: `RTU` as on serial lines, `MBAP` as in Modbus TCP. */
export type CallerFraming = 'RTU' | 'MBAP';

interface ModbusCallerOptions {
  readonly host: string;
  readonly port: number;
  /** Packet to send first; absent: none. */
  readonly registration?: Buffer | undefined;
  readonly framing: CallerFraming;
  readonly memory: PlantMemory;
  /** Units that respond with RTU framing. */
  readonly unitIds: readonly number[];
  /** Pause before the next call after a failed or closed one. */
  readonly pauseMs: number;
  /** Called with each new state of the connection, in words. */
  readonly onState: (text: string) => void;
}

// For gateways that send requests and never read the responses.
const MAXIMUM_UNREAD_BYTES = 65_536;

/**
 * Serves the memory of a simulated plant over a connection that it opens to a gateway, as a modem does; calls again when the
 * connection ends.
 *
 * @returns ends the connection and all calls
 */
export function startModbusCaller(options: ModbusCallerOptions): () => void {
  const { host, port, registration, pauseMs, onState } = options;
  const shown = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  const states = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let socket: Socket | undefined;
  call();
  return () => {
    clearTimeout(timer);
    socket?.removeAllListeners('close').destroy();
  };

  function call(): void {
    let end = `${shown} closed the connection`;
    const called = connect(port, host);
    socket = called;
    called.on('connect', () => {
      report(`connected to ${shown}`);
      if (registration !== undefined) called.write(registration);
    });
    called.on('data', createReceiver(options, called));
    called.on('error', (error) => {
      end = `${shown}: ${messageOf(error)}`;
    });
    called.on('close', () => {
      report(end);
      timer = setTimeout(call, pauseMs);
    });
  }

  // A gateway that refuses the plant closes each connection.
  function report(text: string): void {
    if (states.has(text)) return;
    states.add(text);
    onState(text);
  }
}

function createReceiver(
  { framing, memory, unitIds }: ModbusCallerOptions,
  socket: Socket,
): (bytes: Buffer) => void {
  const send = (frame: Buffer): void => {
    if (socket.writableLength > MAXIMUM_UNREAD_BYTES) socket.destroy();
    else socket.write(frame);
  };
  if (framing === 'RTU') return createRtuServer({ memory, unitIds, send });
  const reader = new FrameReader((transactionId, unitId, pdu) =>
    send(encodeFrame(transactionId, unitId, answerRequest(memory, unitId, pdu))),
  );
  return (bytes) => {
    try {
      reader.push(bytes);
    } catch {
      // The start of the next frame is unknown.
      socket.destroy();
    }
  };
}
