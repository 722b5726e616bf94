import { createIssue, createReason } from '../../daemon/base/fault-reason.ts';
import { BASE_FAULTS } from '../../daemon/base/fault-sentences.ts';
import { MODBUS_FAULTS } from './fault-sentences.ts';
import { TARGET, z } from '../../daemon/base/schema.ts';
import {
  controlFields,
  findControlConflict,
  flowControl,
  hardwareFlowControl,
} from '../link/line-control.ts';
import { listenFields } from './listen-settings.ts';
import { joinWritesField, writeFunctionField } from './modbus-address.ts';
import { FUNCTIONS } from './pdu/modbus-functions.ts';

const TIMEOUT_LIMIT_MS = 600_000;
const MAXIMUM_PIPELINE_DEPTH = 16;
const MODBUS_PORT = 502;
// Registered for Modbus over TLS (MODBUS/TCP Security Protocol Specification V36, 6).
const SECURE_PORT = 802;
const FILE = z.string().min(1).max(4096);

const scratchField = z
  .int()
  .min(0)
  .max(65_535)
  .optional()
  .describe('Register that each read with function code 23 overwrites with 0; default: it writes none');

const retriesField = z.int().min(0).max(3);

/** Request settings of a unit, without defaults. */
const requestFields = {
  responseTimeoutMs: z
    .int()
    .min(1)
    .max(TIMEOUT_LIMIT_MS)
    .describe('Longest wait for one response, in milliseconds; on serial lines plus the transmission time'),
  // Reading registers that no channel needs can do harm: some registers clear when they are read, and gaps may return
  // an exception. So gaps are bridged only if the operator allows it.
  maximumGap: z
    .int()
    .min(0)
    .max(2000)
    .describe('Maximum number of unused addresses between two channels that one request reads over'),
  maximumRegistersPerRequest: z
    .int()
    .min(1)
    .max(FUNCTIONS[3].maximumQuantity)
    .describe('Maximum registers that one request reads or writes; a read never splits a value'),
  maximumBitsPerRequest: z
    .int()
    .min(1)
    .max(FUNCTIONS[1].maximumQuantity)
    .describe('Maximum coils or discrete inputs that one request reads or writes'),
  delayBetweenRequestsMs: z
    .int()
    .min(0)
    .max(60_000)
    .describe('Minimum pause before a request, after the previous response and request, in milliseconds'),
  busyRetries: z
    .int()
    .min(0)
    .max(10)
    .describe('Maximum retries of a request that the unit rejected because it was busy'),
  busyDelayMs: z.int().min(1).max(60_000).describe('Pause before each retry to a busy unit, in milliseconds'),
  maximumRegistersPerWrite: z
    .int()
    .min(1)
    .max(FUNCTIONS[16].maximumQuantity)
    .describe('Maximum registers that one request writes, if less than maximumRegistersPerRequest'),
  maximumBitsPerWrite: z
    .int()
    .min(1)
    .max(FUNCTIONS[15].maximumQuantity)
    .describe('Maximum coils that one request writes, if less than maximumBitsPerRequest'),
  writeFunction: writeFunctionField.describe(
    'Function codes of writes: SINGLE 5 and 6, MULTIPLE 15 and 16, AUTO by the number of values',
  ),
  readFunction: z
    .enum(['READ', 'READ_WRITE'])
    .describe(
      'Function code that reads holding registers: READ 3, READ_WRITE 23 for units that support no other',
    ),
  scratchOffset: scratchField,
  bitWrite: z
    .enum(['AUTO', 'MASK', 'READ_MODIFY_WRITE', 'REFUSE'])
    .describe(
      'Method for single bits of registers: MASK uses function code 22, AUTO uses it if supported, else READ_MODIFY_WRITE',
    ),
  joinWrites: joinWritesField.describe('Write adjacent values of one call in one request'),
  wakeUp: z
    .boolean()
    .describe('The unit sleeps: the first request after a pause only wakes it and may be lost'),
  splitValues: z.boolean().describe('Send a value that exceeds the largest write in several requests'),
};

const requestSettingsSchema = z.strictObject({ ...requestFields, retries: retriesField });

/** Request settings of a unit. */
export type RequestSettings = Readonly<z.infer<typeof requestSettingsSchema>>;

/** Schema of the settings of one unit; the driver settings apply to omitted keys. */
export const unitSchema = z.strictObject({
  unitId: z.int().min(0).max(255).describe('Unit identifier'),
  ...requestSettingsSchema.partial().shape,
  retries: retriesField
    .optional()
    .describe('Maximum retries of a read; the transport defines what is retried'),
});

const commonFields = {
  responseTimeoutMs: requestFields.responseTimeoutMs.default(1000),
  maximumGap: requestFields.maximumGap.default(0),
  maximumRegistersPerRequest: requestFields.maximumRegistersPerRequest.default(FUNCTIONS[3].maximumQuantity),
  maximumBitsPerRequest: requestFields.maximumBitsPerRequest.default(FUNCTIONS[1].maximumQuantity),
  delayBetweenRequestsMs: requestFields.delayBetweenRequestsMs.default(0),
  busyRetries: requestFields.busyRetries.default(3),
  busyDelayMs: requestFields.busyDelayMs.default(200),
  maximumRegistersPerWrite: requestFields.maximumRegistersPerWrite.default(FUNCTIONS[16].maximumQuantity),
  maximumBitsPerWrite: requestFields.maximumBitsPerWrite.default(FUNCTIONS[15].maximumQuantity),
  writeFunction: requestFields.writeFunction.default('AUTO'),
  readFunction: requestFields.readFunction.default('READ'),
  scratchOffset: scratchField,
  bitWrite: requestFields.bitWrite.default('AUTO'),
  joinWrites: requestFields.joinWrites.default(true),
  splitValues: requestFields.splitValues.default(false),
  wakeUp: requestFields.wakeUp.default(false),
  units: z.array(unitSchema).max(256).default([]).describe('Units with their own settings'),
};

const hostField = z.string().min(1).max(253).describe('Name or IP address of the device').meta(TARGET);

const networkFields = {
  host: hostField,
  connectTimeoutMs: z
    .int()
    .min(1)
    .max(TIMEOUT_LIMIT_MS)
    .default(1000)
    .describe('Longest wait for the connection, in milliseconds'),
  connectDelayMs: z
    .int()
    .min(0)
    .max(60_000)
    .default(0)
    .describe(
      'Pause between connecting and the first request, in milliseconds, for devices that ignore earlier requests',
    ),
  closeAfterIdleMs: z
    .int()
    .min(0)
    .max(TIMEOUT_LIMIT_MS)
    .optional()
    .describe(
      'Close the connection after this many milliseconds without a request; 0: after each read or write; default: never',
    ),
};

const portField = z.int().min(1).max(65_535).describe('TCP port of the device').meta(TARGET);

/** Settings of frames with a transaction identifier. */
const mbapFields = {
  pipelineDepth: z
    .int()
    .min(1)
    .max(MAXIMUM_PIPELINE_DEPTH)
    .default(1)
    .describe('Maximum outstanding requests'),
  ignoreUnitIdInAnswers: z
    .boolean()
    .default(false)
    .describe(
      'Accept responses with a unit identifier other than that of the request, for devices that send them',
    ),
};

const tcpFields = {
  ...networkFields,
  ...mbapFields,
  ignoreTransactionId: z
    .boolean()
    .default(false)
    .describe(
      'Accept responses with any transaction identifier, for devices that send wrong ones; limits the connection to one request at a time',
    ),
  maximumStrayBytes: z
    .int()
    .min(0)
    .max(256)
    .default(0)
    .describe('Maximum bytes to skip between two responses, for devices that send bytes that are no frame'),
  retries: retriesField
    .default(1)
    .describe('Maximum retries of a read after a lost connection; writes are not retried'),
};

const serialFields = {
  echo: z.boolean().default(false).describe('The adapter echoes what is sent, as some two-wire adapters do'),
  retries: retriesField
    .default(0)
    .describe('Maximum retries of a read without a valid response; writes are not retried'),
};

const lineFields = {
  device: z
    .string()
    .min(1)
    .max(4096)
    .describe('Path of the serial line, preferably under /dev/serial/by-id')
    .meta(TARGET),
  baudRate: z.int().min(50).max(4_000_000).default(19_200).describe('Speed of the line, in bits per second'),
  parity: z.enum(['none', 'even', 'odd']).default('even').describe('Parity bit of each character'),
  stopBits: z
    .union([z.literal(1), z.literal(2)])
    .optional()
    .describe('Stop bits of each character; default: 1 with parity, 2 without'),
  ...controlFields,
};

/** Schema of the settings of one Modbus connection, by transport. */
export const configSchema = z
  .discriminatedUnion('transport', [
    z.strictObject({
      transport: z.literal('tcp').default('tcp').describe('Transport: tcp is Modbus TCP').meta(TARGET),
      ...tcpFields,
      port: portField.default(MODBUS_PORT),
      ...commonFields,
    }),
    z.strictObject({
      transport: z.literal('tcp-tls').describe('Transport: tcp-tls is Modbus TCP over TLS').meta(TARGET),
      ...tcpFields,
      port: portField.default(SECURE_PORT),
      certificateAuthoritiesFile: FILE.describe(
        'PEM file with the CA certificates that may issue the device certificate',
      ),
      certificateFile: FILE.optional().describe('PEM file with the client certificate'),
      privateKeyFile: FILE.optional().describe('PEM file with the private key of the client certificate'),
      serverName: z
        .string()
        .min(1)
        .max(253)
        .optional()
        .describe('Name required in the device certificate; default: the host'),
      ...commonFields,
    }),
    z.strictObject({
      transport: z
        .literal('udp')
        .describe('Transport: udp is Modbus TCP frames in UDP datagrams')
        .meta(TARGET),
      host: hostField,
      port: z.int().min(1).max(65_535).default(MODBUS_PORT).describe('UDP port of the device').meta(TARGET),
      ...mbapFields,
      retries: retriesField
        .default(1)
        .describe('Maximum retries of a read without a valid response; writes are not retried'),
      ...commonFields,
    }),
    z.strictObject({
      transport: z
        .literal('rtu-over-tcp')
        .describe('Transport: rtu-over-tcp is RTU frames over TCP, as device servers send them')
        .meta(TARGET),
      ...networkFields,
      port: portField.default(MODBUS_PORT),
      ...serialFields,
      ...commonFields,
    }),
    z.strictObject({
      transport: z
        .literal('tcp-listen')
        .describe('Transport: tcp-listen is a device that connects to the gateway')
        .meta(TARGET),
      ...listenFields,
      connectTimeoutMs: z
        .int()
        .min(1)
        .max(TIMEOUT_LIMIT_MS)
        .default(5000)
        .describe('Longest wait for the device to connect, in milliseconds'),
      connectDelayMs: networkFields.connectDelayMs,
      retries: retriesField
        .default(1)
        .describe('Maximum retries of a read without a valid response; writes are not retried'),
      ...commonFields,
    }),
    z.strictObject({
      transport: z.literal('rtu').describe('Transport: rtu is a serial line in RTU mode').meta(TARGET),
      ...lineFields,
      dataBits: z.literal(8).default(8).describe('Data bits of each character'),
      flowControl: hardwareFlowControl,
      ...serialFields,
      ...commonFields,
    }),
    z.strictObject({
      transport: z.literal('ascii').describe('Transport: ascii is a serial line in ASCII mode').meta(TARGET),
      ...lineFields,
      dataBits: z
        .union([z.literal(7), z.literal(8)])
        .default(7)
        .describe('Data bits of each character'),
      flowControl,
      ...serialFields,
      ...commonFields,
    }),
  ])
  .superRefine(({ units }, context) => {
    for (const [index, { unitId }] of units.entries()) {
      if (units.findIndex((unit) => unit.unitId === unitId) === index) continue;
      const reason = createReason(MODBUS_FAULTS, 'UNIT_REPEATED', { unit: unitId });
      context.addIssue(createIssue(['units', index, 'unitId'], reason));
    }
  })
  .superRefine(({ scratchOffset, readFunction, units }, context) => {
    const reason = createReason(MODBUS_FAULTS, 'SCRATCH_WITHOUT_WRITE', {});
    const isUsed = [readFunction, ...units.map((unit) => unit.readFunction)].includes('READ_WRITE');
    if (scratchOffset !== undefined && !isUsed) {
      context.addIssue(createIssue(['scratchOffset'], reason));
    }
    for (const [index, unit] of units.entries()) {
      const own = unit.readFunction ?? readFunction;
      if (unit.scratchOffset === undefined || own === 'READ_WRITE') continue;
      context.addIssue(createIssue(['units', index, 'scratchOffset'], reason));
    }
  })
  .superRefine((config, context) => {
    const conflict = 'device' in config ? findControlConflict(config) : undefined;
    if (conflict !== undefined) context.addIssue(createIssue(['flowControl'], conflict));
    if (config.transport !== 'tcp-tls') return;
    const { certificateFile, privateKeyFile } = config;
    if ((certificateFile === undefined) === (privateKeyFile === undefined)) return;
    const missing = certificateFile === undefined ? 'certificateFile' : 'privateKeyFile';
    const names = ['certificateFile', 'privateKeyFile'];
    context.addIssue(createIssue([missing], createReason(BASE_FAULTS, 'KEYS_TOGETHER', { names })));
  });

/** Settings of one Modbus connection, with defaults applied. */
export type ModbusConfig = Readonly<z.infer<typeof configSchema>>;

/** Settings of a connection with one transport. */
export type ConfigOf<Transport extends ModbusConfig['transport']> = Extract<
  ModbusConfig,
  { readonly transport: Transport }
>;
