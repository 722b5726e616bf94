import type { FaultReason } from '../../daemon/base/fault-reason.ts';
import { SERIAL_FAULTS } from './sentences/fault-sentences.ts';
import { createIssue, createReason, sayReason } from '../../daemon/base/fault-reason.ts';
import { BINARY_FAULTS } from '../binary/fault-sentences.ts';
import { z } from '../../daemon/base/schema.ts';
import { TextFault } from '../binary/text-encoding.ts';
import { parseRequest, parseTemplate } from './byte-text.ts';
import { isTimeZone } from '../binary/time-zone.ts';
import { DATA_TYPES, isTime } from './binary-type.ts';
import { parseObisCode } from './meter/obis-code.ts';
import { createPattern } from './pattern.ts';
import { PatternFault } from './pattern-program.ts';
import { patternSchema } from './pattern-schema.ts';

const MAXIMUM_TEXT = 1024;
const MAXIMUM_OFFSET = 65_535;
const MAXIMUM_COUNT = 2000;

const requestSchema = createTextSchema((text) => parseRequest(text, 'utf-8'));
const templateSchema = createTextSchema((text) => parseTemplate(text, 'utf-8'));

const textResponseSchema = z.strictObject({
  pattern: patternSchema
    .refine(
      (source) => countCaptures(source) === 1,
      sayReason(createReason(SERIAL_FAULTS, 'EXPECTED_ONE_GROUP', {})),
    )
    .describe('Pattern with one group around the value'),
  decimalSeparator: z.enum(['.', ',']).default('.').describe('Decimal separator of numbers'),
});

const binaryResponseSchema = z
  .strictObject({
    offset: z.int().min(0).max(MAXIMUM_OFFSET).describe('Offset of the first byte in the frame, from 0'),
    dataType: z.enum(DATA_TYPES).describe('Data type of the bytes'),
    byteOrder: z
      .enum(['BIG_ENDIAN', 'LITTLE_ENDIAN'])
      .default('BIG_ENDIAN')
      .describe('Order of the bytes of a number or time'),
    length: z
      .int()
      .min(1)
      .max(MAXIMUM_OFFSET)
      .optional()
      .describe('For STRING and BYTES: length in bytes; default: up to the end of the frame'),
    count: z
      .int()
      .min(1)
      .max(MAXIMUM_COUNT)
      .optional()
      .describe('For an array: number of consecutive elements; the value is a JSON array as text'),
    trim: z.boolean().optional().describe('For STRING: remove trailing spaces and NUL'),
    timeZone: z
      .string()
      .refine(isTimeZone, sayReason(createReason(BINARY_FAULTS, 'EXPECTED_TIME_ZONE', {})))
      .optional()
      .describe('For times: time zone of the instrument clock; default: UTC'),
  })
  .superRefine((response, context) => {
    for (const [field, reason] of findBinaryFaults(response)) context.addIssue(createIssue([field], reason));
  });

const fieldsSchema = z.strictObject({
  request: requestSchema
    .optional()
    .describe(
      'Request that reads the value, with {checksum} where it has one; default: the value is taken from unrequested frames',
    ),
  match: patternSchema
    .optional()
    .describe('Pattern of the frames that contain the value; default: all frames'),
  response: z
    .union([textResponseSchema, binaryResponseSchema])
    .optional()
    .describe('Location of the value in the frame'),
  write: templateSchema
    .optional()
    .describe('Request that writes; {value} is replaced by the value, {checksum} by the checksum'),
  obis: z
    .string()
    .max(24)
    .refine(
      (text) => parseObisCode(text) !== undefined,
      sayReason(createReason(SERIAL_FAULTS, 'EXPECTED_OBIS', {})),
    )
    .optional()
    .describe('For framing IEC62056_21: OBIS code of the value in the readout'),
  meter: z
    .string()
    .regex(/^[0-9A-Za-z ]{1,32}$/, sayReason(createReason(SERIAL_FAULTS, 'EXPECTED_METER', {})))
    .optional()
    .describe('For `obis`: device address of the meter, on a line with several; default: any meter'),
  position: z
    .int()
    .min(0)
    .max(99)
    .optional()
    .describe('For `obis`: which parentheses after the code contain the value, from 0; default: 0'),
  unit: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9]{0,11}$/, sayReason(createReason(SERIAL_FAULTS, 'EXPECTED_UNIT', {})))
    .optional()
    .describe('For `obis`: unit of the value; what the meter sends is converted, kWh to Wh for example'),
  decimals: z
    .int()
    .min(0)
    .max(20)
    .optional()
    .describe('Decimals of a written number; default: as many as it has'),
  acknowledge: patternSchema.optional().describe('Pattern of the response that confirms a write'),
  refuse: patternSchema
    .optional()
    .describe('Pattern of the responses that refuse the request or write; default: that of the driver'),
});

/** Requests and responses for a channel of an instrument. */
export type SerialAddress = Readonly<z.infer<typeof fieldsSchema>>;
export type Response = NonNullable<SerialAddress['response']>;
export type BinaryResponse = z.infer<typeof binaryResponseSchema>;

/** Schema of an address; rejects fields that contradict each other. */
export const addressSchema = fieldsSchema.superRefine((address, context) => {
  for (const [field, reason] of findContradictions(address)) context.addIssue(createIssue([field], reason));
});

function findBinaryFaults({
  dataType,
  length,
  count,
  trim,
  timeZone,
}: BinaryResponse): readonly (readonly [keyof BinaryResponse, FaultReason])[] {
  const faults: (readonly [keyof BinaryResponse, FaultReason])[] = [];
  const isText = dataType === 'STRING';
  if (length !== undefined && !isText && dataType !== 'BYTES') {
    faults.push(['length', createReason(BINARY_FAULTS, 'LENGTH_ONLY_OF_TEXT', {})]);
  }
  if (trim !== undefined && !isText)
    faults.push(['trim', createReason(BINARY_FAULTS, 'ONLY_OF_STRING', { type: dataType })]);
  if (timeZone !== undefined && !isTime(dataType)) {
    faults.push(['timeZone', createReason(BINARY_FAULTS, 'TIME_ZONE_ONLY_OF_TIMES', { type: dataType })]);
  }
  if (count !== undefined && dataType === 'BYTES') {
    faults.push(['count', createReason(BINARY_FAULTS, 'BYTES_WITHOUT_COUNT', {})]);
  }
  if (count !== undefined && isText && length === undefined) {
    faults.push(['length', createReason(SERIAL_FAULTS, 'ELEMENT_LENGTH_MISSING', {})]);
  }
  return faults;
}

const METER_FIELDS = ['meter', 'position', 'unit'] as const;
const INSTRUMENT_FIELDS = [
  'request',
  'match',
  'response',
  'write',
  'decimals',
  'acknowledge',
  'refuse',
] as const;

function findContradictions(
  address: SerialAddress,
): readonly (readonly [keyof SerialAddress, FaultReason])[] {
  const faults: (readonly [keyof SerialAddress, FaultReason])[] = [];
  const { request, match, response, write, acknowledge, decimals, obis } = address;
  if (obis !== undefined) {
    return INSTRUMENT_FIELDS.filter((field) => address[field] !== undefined).map((field) => [
      field,
      createReason(SERIAL_FAULTS, 'NOT_WITH_OBIS', {}),
    ]);
  }
  for (const field of METER_FIELDS) {
    if (address[field] !== undefined) faults.push([field, createReason(SERIAL_FAULTS, 'REQUIRES_OBIS', {})]);
  }
  if (response === undefined) {
    if (request !== undefined)
      faults.push(['response', createReason(SERIAL_FAULTS, 'RESPONSE_OF_REQUEST_MISSING', {})]);
    if (match !== undefined) faults.push(['match', createReason(SERIAL_FAULTS, 'REQUIRES_RESPONSE', {})]);
  }
  if (write === undefined) {
    if (response === undefined)
      faults.push(['response', createReason(SERIAL_FAULTS, 'RESPONSE_OR_WRITE_MISSING', {})]);
    if (acknowledge !== undefined)
      faults.push(['acknowledge', createReason(SERIAL_FAULTS, 'REQUIRES_WRITE', {})]);
    if (decimals !== undefined) faults.push(['decimals', createReason(SERIAL_FAULTS, 'REQUIRES_WRITE', {})]);
  }
  return faults;
}

// The encoding is unknown here; UTF-8 has every character.
function createTextSchema(parse: (text: string) => unknown) {
  return z
    .string()
    .min(1)
    .max(MAXIMUM_TEXT)
    .superRefine((text, context) => {
      const reason = faultOf(() => parse(text));
      if (reason !== undefined) context.addIssue(createIssue([], reason));
    });
}

function countCaptures(source: string): number | undefined {
  // An invalid pattern has its own error.
  return faultOf(() => createPattern(source)) === undefined ? createPattern(source).captureCount : 1;
}

function faultOf(attempt: () => unknown): FaultReason | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    if (error instanceof TextFault || error instanceof PatternFault) return error.reason;
    throw error;
  }
}
