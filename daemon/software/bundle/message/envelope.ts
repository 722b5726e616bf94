import { decodeUtf8 } from '../../../base/text/plain-text.ts';
import { BundleError } from '../bundle-error.ts';

/** A message between gateway and bundle, in either direction. */
export type Envelope =
  | { readonly kind: 'call'; readonly id: number; readonly method: string; readonly params: unknown }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly code: string; readonly message: string }
  | { readonly kind: 'note'; readonly method: string; readonly params: unknown };

const MAXIMUM_NAME_LENGTH = 64;
const MAXIMUM_MESSAGE_LENGTH = 1000;

/**
 * Parses one message.
 *
 * @returns an object with exactly the fields of its kind; `params` and `value` have not been checked
 * @throws {BundleError} `BUNDLE_PROTOCOL_VIOLATED` when it is not JSON, or not of a known kind
 */
export function parseEnvelope(frame: Buffer): Envelope {
  const fields = parseObject(frame);
  const { kind, id, method, params, value, code, message } = fields;
  if (kind === 'note' && isName(method)) return { kind, method, params };
  if (!Number.isSafeInteger(id)) throw violation();
  const call = id as number;
  if (kind === 'call' && isName(method)) return { kind, id: call, method, params };
  if (kind === 'cancel') return { kind, id: call };
  if (kind === 'result') return { kind, id: call, value };
  if (kind === 'error' && isName(code) && typeof message === 'string') {
    return { kind, id: call, code, message: message.slice(0, MAXIMUM_MESSAGE_LENGTH) };
  }
  throw violation();
}

function parseObject(frame: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(decodeUtf8(frame) ?? '');
  } catch {
    throw violation();
  }
  if (typeof value !== 'object' || value === null) throw violation();
  return value as Readonly<Record<string, unknown>>;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MAXIMUM_NAME_LENGTH;
}

function violation(): BundleError {
  return new BundleError('BUNDLE_PROTOCOL_VIOLATED', 'the bytes are not a valid message');
}
