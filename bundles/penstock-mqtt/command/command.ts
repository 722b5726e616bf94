import { createHash } from 'node:crypto';

import type { SampleValue } from '../message/value-text.ts';
import { findTopicFault } from '../message/topic-template.ts';

/** Message on the command topic. */
export interface CommandMessage {
  readonly payload: Uint8Array;
  readonly isRetained: boolean;
  /** Properties of MQTT 5. */
  readonly responseTopic?: string | undefined;
  readonly correlationData?: Uint8Array | undefined;
}

/** Place and label of a response. */
export interface ReplyTo {
  readonly topic: string;
  /** Sent back as the property. */
  readonly correlationData?: Uint8Array | undefined;
  /** Sent back in the JSON. */
  readonly correlationText?: string | undefined;
}

export interface CommandWrite {
  readonly name: string;
  readonly type: string;
  readonly value: SampleValue;
  readonly ifValue?: SampleValue | undefined;
}

/** Command to write or to read channels of an asset. */
export type Command =
  | {
      readonly asset: string;
      readonly writes: readonly CommandWrite[];
      /** Idempotency key; undefined: no correlation data was sent. */
      readonly key?: string | undefined;
    }
  | { readonly asset: string; readonly channels: readonly string[] };

/** Outcome of parsing: a command, or the reason why it is none. */
export type ParsedCommand = { readonly replyTo: ReplyTo } & (
  | { readonly command: Command }
  | { readonly refusal: CommandRefusal }
);

export interface CommandRefusal {
  readonly code: 'COMMAND_MALFORMED' | 'COMMAND_TOO_LARGE' | 'COMMAND_RETAINED';
  readonly message: string;
}

/** Maximum size of the payload of a command. */
const MAXIMUM_COMMAND_BYTES = 65_536;

const MAXIMUM_CORRELATION_BYTES = 1024;
const MAXIMUM_NAMES = 1000;
const MEMBERS: ReadonlySet<string> = new Set([
  'asset',
  'writes',
  'channels',
  'responseTopic',
  'correlationData',
]);
const WRITE_MEMBERS: ReadonlySet<string> = new Set(['name', 'type', 'value', 'ifValue']);
const NON_FINITE: ReadonlySet<unknown> = new Set(['NaN', 'Infinity', '-Infinity']);
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const DECIMAL_NUMBER = /^[+-]?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,4})?$/;
// A text, or an integer with more digits than a double holds.
const TEXT_OR_LONG = /"(?:[^"\\]|\\.)*"|(-?\d{16,})(?![\d.eE])/g;

class Refused extends Error {
  readonly code: CommandRefusal['code'];

  constructor(message: string, code: CommandRefusal['code'] = 'COMMAND_MALFORMED') {
    super(message);
    this.code = code;
  }
}

/**
 * Parses a command: `{"asset", "writes": [{"name", "type", "value", "ifValue"?}]}` or `{"asset", "channels": [NAME]}`, with
 * `responseTopic` and `correlationData` for clients that have no properties of MQTT 5.
 *
 * LONG is a number with all its digits, or a text of them; BYTE_ARRAY is base64. Retained commands are refused: a broker repeats
 * them at each connection.
 *
 * @param own topics of the bundle: a response never goes to the command topic
 */
export function parseCommand(
  message: CommandMessage,
  own: { readonly commandTopic: string; readonly responseTopic: string },
): ParsedCommand {
  let replyTo: ReplyTo = { topic: own.responseTopic };
  try {
    // Properties name the place of the response to a text that is no JSON.
    replyTo = readReply(message, {}, own);
    const { byteLength } = message.payload;
    if (byteLength > MAXIMUM_COMMAND_BYTES) {
      throw new Refused(
        `${byteLength} bytes; at most ${MAXIMUM_COMMAND_BYTES} are allowed`,
        'COMMAND_TOO_LARGE',
      );
    }
    const members = readMembers(message.payload);
    replyTo = readReply(message, members, own);
    if (message.isRetained) throw new Refused('retained commands are not executed', 'COMMAND_RETAINED');
    return { replyTo, command: readCommand(members, replyTo) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { replyTo, refusal: { code: error.code, message: error.message } };
  }
}

function readMembers(payload: Uint8Array): Readonly<Record<string, unknown>> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(payload);
  } catch {
    throw new Refused('not UTF-8');
  }
  let value: unknown;
  try {
    value = JSON.parse(
      text.replaceAll(TEXT_OR_LONG, (all, long?: string) => (long === undefined ? all : `"${long}"`)),
    );
  } catch {
    throw new Refused('not JSON');
  }
  return toObject(value, 'the command', MEMBERS);
}

function readReply(
  { responseTopic, correlationData }: CommandMessage,
  members: Readonly<Record<string, unknown>>,
  own: { readonly commandTopic: string; readonly responseTopic: string },
): ReplyTo {
  const { responseTopic: namedTopic, correlationData: label } = members;
  if (namedTopic !== undefined && typeof namedTopic !== 'string') {
    throw new Refused('responseTopic: expected text');
  }
  const topic = responseTopic ?? namedTopic ?? own.responseTopic;
  const fault = findTopicFault(topic);
  if (fault !== undefined) throw new Refused(`responseTopic: ${fault}`);
  if (topic === own.commandTopic) throw new Refused('responseTopic: the topic of commands');
  if (label !== undefined && (typeof label !== 'string' || label.length > MAXIMUM_CORRELATION_BYTES)) {
    throw new Refused(`correlationData: expected text of at most ${MAXIMUM_CORRELATION_BYTES} characters`);
  }
  if (correlationData !== undefined && correlationData.byteLength > MAXIMUM_CORRELATION_BYTES) {
    throw new Refused(`correlation data: more than ${MAXIMUM_CORRELATION_BYTES} bytes`);
  }
  return { topic, correlationData, correlationText: label };
}

function readCommand(members: Readonly<Record<string, unknown>>, replyTo: ReplyTo): Command {
  const { asset, writes, channels } = members;
  if (typeof asset !== 'string' || asset === '') throw new Refused('asset: expected the name of an asset');
  if ((writes === undefined) === (channels === undefined)) {
    throw new Refused('expected either "writes" or "channels"');
  }
  if (channels !== undefined) {
    const names = toList('channels', channels).map((name) => {
      if (typeof name !== 'string') throw new Refused('channels: expected a list of names');
      return name;
    });
    return { asset, channels: names };
  }
  return { asset, writes: toList('writes', writes).map(readWrite), key: keyOf(replyTo) };
}

function readWrite(element: unknown, index: number): CommandWrite {
  const { name, type, value, ifValue } = toObject(element, `writes[${index}]`, WRITE_MEMBERS);
  if (typeof name !== 'string' || name === '') throw new Refused(`writes[${index}].name: expected text`);
  if (typeof type !== 'string') throw new Refused(`writes[${index}].type: expected a value type`);
  return {
    name,
    type,
    value: readValue(type, value, `writes[${index}].value`),
    ...(ifValue === undefined ? {} : { ifValue: readValue(type, ifValue, `writes[${index}].ifValue`) }),
  };
}

function readValue(type: string, value: unknown, place: string): SampleValue {
  const isNumber = typeof value === 'number' && Number.isFinite(value);
  switch (type) {
    case 'LONG':
      if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
      if (typeof value === 'string' && /^-?\d{1,40}$/.test(value)) return BigInt(value);
      break;
    case 'BYTE_ARRAY':
      if (typeof value === 'string' && BASE64.test(value))
        return new Uint8Array(Buffer.from(value, 'base64'));
      break;
    case 'INTEGER':
    case 'FLOAT':
    case 'DOUBLE':
      if (isNumber) return value;
      if (typeof value !== 'string') break;
      if (NON_FINITE.has(value) && type !== 'INTEGER') return Number(value);
      if (DECIMAL_NUMBER.test(value) && Number.isFinite(Number(value))) return Number(value);
      break;
    case 'BOOLEAN':
      if (typeof value === 'boolean') return value;
      break;
    case 'STRING':
      if (typeof value === 'string') return value;
      break;
    default:
      throw new Refused(`${place}: unknown value type "${type.slice(0, 40)}"`);
  }
  throw new Refused(`${place}: no ${type}`);
}

function toObject(
  value: unknown,
  place: string,
  allowed: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refused(`${place}: expected an object`);
  }
  const strange = Object.keys(value).find((name) => !allowed.has(name));
  if (strange !== undefined) throw new Refused(`${place}: unknown member "${strange.slice(0, 40)}"`);
  return { ...value };
}

function toList(name: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0) throw new Refused(`${name}: expected a list`);
  if (value.length > MAXIMUM_NAMES) throw new Refused(`${name}: at most ${MAXIMUM_NAMES} elements`);
  return value;
}

// Correlation data has a meaning for the owner of the response topic alone (MQTT 5.0, 4.10): two may use the same.
function keyOf({ topic, correlationData, correlationText }: ReplyTo): string | undefined {
  const label = correlationData ?? correlationText;
  if (label === undefined || label.length === 0) return undefined;
  return createHash('sha256').update(`${topic}\0`).update(label).digest('hex');
}
