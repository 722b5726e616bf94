import { isIP } from 'node:net';
import { createReason, sayReason } from '../../daemon/base/fault-reason.ts';
import { MODBUS_FAULTS } from './fault-sentences.ts';
import { TARGET, z } from '../../daemon/base/schema.ts';
import { parsePacket } from '../link/caller-identity.ts';
import type { CallerIdentity } from '../link/caller-identity.ts';

const packetField = z
  .string()
  .max(256)
  .refine(
    (text) => parsePacket(text) !== undefined,
    sayReason(createReason(MODBUS_FAULTS, 'EXPECTED_PACKET', {})),
  )
  .optional();

const identifyField = z
  .strictObject({
    address: z
      .string()
      .refine((text) => isIP(text) !== 0, sayReason(createReason(MODBUS_FAULTS, 'EXPECTED_IP_ADDRESS', {})))
      .optional()
      .describe('IP address from which the device connects'),
    registration: packetField.describe('Packet that the device sends first, once; text, or hex:01 02'),
    heartbeat: packetField.describe(
      'Packet that the device sends first and between responses; text, or hex:01 02',
    ),
  })
  .refine(
    (identify) => Object.values(identify).filter((value) => value !== undefined).length === 1,
    sayReason(createReason(MODBUS_FAULTS, 'EXPECTED_ONE_IDENTITY', {})),
  )
  .describe('How the device is recognized: by exactly one of these');

/** Settings of a port of the gateway to which a device connects. */
export const listenFields = {
  listenPort: z
    .int()
    .min(1024)
    .max(65_535)
    .describe('TCP port of the gateway to which the device connects')
    .meta(TARGET),
  identify: identifyField,
  framing: z
    .enum(['RTU', 'MBAP'])
    .default('RTU')
    .describe('Frames over the connection: RTU as on serial lines, MBAP as in Modbus TCP'),
};

type Identify = z.infer<typeof identifyField>;

/** Returns the packets of the settings as bytes. */
export function toIdentity({ address, registration, heartbeat }: Identify): CallerIdentity {
  return {
    address,
    registration: registration === undefined ? undefined : parsePacket(registration),
    heartbeat: heartbeat === undefined ? undefined : parsePacket(heartbeat),
  };
}

/** Formats a device for messages: `DTU01 on port 5020`. */
export function describeCaller({
  listenPort,
  identify: { address, registration, heartbeat },
}: {
  readonly listenPort: number;
  readonly identify: Identify;
}): string {
  return `${address ?? registration ?? heartbeat} on port ${listenPort}`;
}
