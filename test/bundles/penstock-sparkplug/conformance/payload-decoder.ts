import { PAYLOAD } from '../../../support/sparkplug-schema.ts';
import type { Payload } from './session.ts';

/**
 * Decodes a payload with a library that the product does not use.
 *
 * @returns undefined: the bytes do not follow the schema, or have fields that it lacks
 */
export function decodePayload(bytes: Uint8Array): Payload | undefined {
  try {
    const message = PAYLOAD.decode(bytes);
    // Fields that the schema lacks are passed over, and would be missing here.
    if (PAYLOAD.encode(message).finish().length !== bytes.length) return undefined;
    return PAYLOAD.toObject(message, { longs: String, bytes: String });
  } catch {
    return undefined;
  }
}

/** Encodes a payload, as a host does. */
export function encodePayload(payload: Payload): Uint8Array {
  return PAYLOAD.encode(PAYLOAD.fromObject(payload)).finish();
}
