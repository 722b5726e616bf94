import { systemClock } from '../../daemon/base/clock.ts';
import { rtuFraming } from '../../drivers/modbus/pdu/serial-framing.ts';
import type { SerialFraming } from '../../drivers/modbus/pdu/serial-framing.ts';
import { SerialLink } from '../../drivers/link/serial-link.ts';
import { openSerialPair } from './serial-pair.ts';
import type { SerialPair } from './serial-pair.ts';

/** One request as it came over the line. */
export interface SerialRequest {
  readonly unitId: number;
  readonly pdu: Buffer;
  /** The whole frame. */
  readonly frame: Buffer;
  /** Position among all requests. */
  readonly index: number;
}

/** Answers a request, or not; `send` puts bytes on the line. */
export type SerialScript = (request: SerialRequest, send: (bytes: Uint8Array) => void) => void;

export interface SerialSlave extends AsyncDisposable {
  readonly pair: SerialPair;
  /** The line that is given to the driver. */
  readonly device: string;
  readonly requests: readonly SerialRequest[];
  /** Resolves when that many requests have come in. */
  received(count: number): Promise<void>;
  /** Puts bytes on the line. */
  send(bytes: Uint8Array): void;
}

/** Starts a slave on a serial line without wires; a script chooses its answers. */
export async function startSerialSlave(
  script: SerialScript,
  framing: SerialFraming = rtuFraming,
): Promise<SerialSlave> {
  const pair = await openSerialPair();
  const line = { baudRate: 115_200, dataBits: 8, stopBits: 1, parity: 'none' } as const;
  const link = new SerialLink({ device: pair.instrument, ...line, clock: systemClock });
  const requests: SerialRequest[] = [];
  const waiting = new Set<{ readonly count: number; readonly resolve: () => void }>();
  let held = Buffer.alloc(0);
  const send = (bytes: Uint8Array): void => link.send(bytes);
  await link.open(new AbortController().signal, {
    onChunk: (bytes) => {
      held = Buffer.concat([held, bytes]);
      for (;;) {
        const found = findFirst(held, framing);
        if (found === undefined) return;
        held = held.subarray(found.frame.length);
        const request = { ...found, index: requests.length };
        requests.push(request);
        script(request, send);
        for (const waiter of waiting) if (requests.length >= waiter.count) waiter.resolve();
      }
    },
    onClose: () => undefined,
  });
  return {
    pair,
    device: pair.gateway,
    requests,
    send,
    received: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.add({ count, resolve });
      }),
    async [Symbol.asyncDispose]() {
      link.close();
      await pair[Symbol.asyncDispose]();
    },
  };
}

/** Finds the frame that bytes begin with; on a busy machine several requests come in at once. */
function findFirst(held: Buffer, framing: SerialFraming): Omit<SerialRequest, 'index'> | undefined {
  // The longest first: within a frame a shorter one may seem to end by chance.
  for (let length = held.length; length > 0; length -= 1) {
    const frame = held.subarray(0, length);
    const parsed = framing.parseWhole(frame);
    if (parsed !== undefined) return { unitId: parsed.unitId, pdu: parsed.pdu, frame };
  }
  return undefined;
}

/** Creates the PDU that answers a request as it should be: registers hold their offset, bits are 0, writes are repeated. */
export function answerOf({ pdu }: Pick<SerialRequest, 'pdu'>): Buffer {
  const functionCode = pdu[0] ?? 0;
  if (functionCode === 15 || functionCode === 16) return Buffer.from(pdu.subarray(0, 5));
  if (functionCode > 4) return Buffer.from(pdu);
  const offset = pdu.readUInt16BE(1);
  const quantity = pdu.readUInt16BE(3);
  const bytes = functionCode <= 2 ? Math.ceil(quantity / 8) : 2 * quantity;
  const answer = Buffer.alloc(2 + bytes);
  answer[0] = functionCode;
  answer[1] = bytes;
  const registers = functionCode > 2 ? quantity : 0;
  for (let index = 0; index < registers; index += 1) {
    answer.writeUInt16BE((offset + index) & 0xffff, 2 + 2 * index);
  }
  return answer;
}

/** Creates the frame that answers a request as it should be. */
export function answerFrameOf(request: SerialRequest, framing: SerialFraming = rtuFraming): Buffer {
  return framing.encode(request.unitId, answerOf(request));
}
