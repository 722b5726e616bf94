/** How a device that connects to the gateway is recognized: by exactly one of these. */
export interface CallerIdentity {
  /** IP address from which it connects. */
  readonly address?: string | undefined;
  /** Packet that it sends first, once. */
  readonly registration?: Buffer | undefined;
  /** Packet that it sends first, and again between responses. */
  readonly heartbeat?: Buffer | undefined;
}

/** Result of a comparison: the expected device, more bytes are needed, or none is expected. */
export type Recognition<Device> = { readonly device: Device } | 'WAIT' | 'UNKNOWN';

/**
 * Finds the device that a connection comes from.
 *
 * @param received bytes received so far
 */
export function recognizeCaller<Device extends { readonly identity: CallerIdentity }>(
  expected: Iterable<Device>,
  address: string,
  received: Buffer,
): Recognition<Device> {
  let mayFollow = false;
  let found: Device | undefined;
  let foundBytes = 0;
  for (const device of expected) {
    const { address: own, registration, heartbeat } = device.identity;
    if (own !== undefined) {
      if (own === address) return { device };
      continue;
    }
    const packet = registration ?? heartbeat ?? Buffer.alloc(0);
    if (received.length >= packet.length) {
      // The longest packet: that of one device may begin with that of another.
      const isSent = packet.length > foundBytes && packet.equals(received.subarray(0, packet.length));
      if (isSent) [found, foundBytes] = [device, packet.length];
    } else if (received.equals(packet.subarray(0, received.length))) {
      mayFollow = true;
    }
  }
  if (found !== undefined) return { device: found };
  return mayFollow ? 'WAIT' : 'UNKNOWN';
}

const HEX_PREFIX = 'hex:';
const HEX = /^(?:[\da-f]{2})+$/i;

/** Parses a packet of the configuration: text, or pairs of hexadecimal digits after `hex:`; undefined if it is neither. */
export function parsePacket(text: string): Buffer | undefined {
  if (!text.startsWith(HEX_PREFIX)) return text === '' ? undefined : Buffer.from(text, 'utf8');
  const digits = text.slice(HEX_PREFIX.length).replaceAll(/\s/g, '');
  return HEX.test(digits) ? Buffer.from(digits, 'hex') : undefined;
}

const MAXIMUM_SHOWN = 32;

/**
 * Formats received bytes as the configuration has them: text if printable, otherwise hexadecimal digits.
 *
 * @param maximum bytes to show
 */
export function showPacket(bytes: Buffer, maximum = MAXIMUM_SHOWN): string {
  const shown = bytes.subarray(0, maximum);
  const isText = shown.every((byte) => byte > 0x20 && byte < 0x7f && byte !== 0x22);
  const text = shown.toString('latin1');
  return isText && !text.startsWith(HEX_PREFIX) ? text : `${HEX_PREFIX}${shown.toString('hex')}`;
}
