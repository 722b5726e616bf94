import { z } from '../../daemon/base/schema.ts';
import { MAXIMUM_BITS_PER_READ, MAXIMUM_REGISTERS_PER_READ } from './request.ts';

const TIMEOUT_LIMIT_MS = 600_000;

/** The schema of the settings of one Modbus connection. */
export const configSchema = z.strictObject({
  transport: z.enum(['tcp']).default('tcp').describe('How frames travel: tcp is Modbus TCP'),
  host: z.string().min(1).max(253).describe('Name or IP address of the device'),
  port: z.int().min(1).max(65_535).default(502).describe('TCP port of the device'),
  connectTimeoutMs: z
    .int()
    .min(1)
    .max(TIMEOUT_LIMIT_MS)
    .default(1000)
    .describe('Longest wait for the connection, in milliseconds'),
  responseTimeoutMs: z
    .int()
    .min(1)
    .max(TIMEOUT_LIMIT_MS)
    .default(1000)
    .describe('Longest wait for one answer, in milliseconds'),
  retries: z
    .int()
    .min(0)
    .max(3)
    .default(1)
    .describe('How often a read is sent again after its connection was lost; writes are never sent twice'),
  // Reading what nobody asked for is not always harmless: some registers clear when they are read, and holes answer
  // with an exception. So gaps are bridged only where the operator says so.
  maximumGap: z
    .int()
    .min(0)
    .max(2000)
    .default(0)
    .describe('How many unused addresses between two channels are read along to save a request'),
  maximumRegistersPerRequest: z
    .int()
    .min(1)
    .max(MAXIMUM_REGISTERS_PER_READ)
    .default(MAXIMUM_REGISTERS_PER_READ)
    .describe('Most registers that one request reads; one value is never split'),
  maximumBitsPerRequest: z
    .int()
    .min(1)
    .max(MAXIMUM_BITS_PER_READ)
    .default(MAXIMUM_BITS_PER_READ)
    .describe('Most coils or discrete inputs that one request reads'),
  delayBetweenRequestsMs: z
    .int()
    .min(0)
    .max(60_000)
    .default(0)
    .describe('Pause between an answer and the next request, in milliseconds'),
});

/** Settings of one Modbus connection, defaults filled in. */
export type ModbusConfig = Readonly<z.infer<typeof configSchema>>;
