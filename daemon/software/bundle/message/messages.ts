import type { ReceivedCode } from '../../../base/error-codes.ts';
import { z } from '../../../base/schema.ts';
import { driverOutcome } from '../../../interface/software/bundle-records.ts';
import type { BundleRecord, BundleWrite } from '../../../interface/software/bundle-records.ts';
import { BundleError } from '../bundle-error.ts';
import { MAXIMUM_BATCH, MAXIMUM_JOURNAL_WAIT_MS } from './journal-columns.ts';
import type { WireValue } from './wire-value.ts';

/** Maximum number of channels in one message. */
export const MAXIMUM_CHANNELS = 2000;

/** Maximum number of recorders that a bundle declares. */
const MAXIMUM_RECORDERS = 1000;

/** Maximum number of checks in a status. */
const MAXIMUM_CHECKS = 32;

// The length is checked first: a hostile list must not cause a check of each element.
function boundedArray<T>(element: z.ZodType<T>, maximum: number) {
  return z
    .custom<unknown[]>((value) => Array.isArray(value) && value.length <= maximum, `at most ${maximum} items`)
    .pipe(z.array(element));
}

const name = z.string().min(1).max(255);
const code = z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/) as z.ZodType<string> as z.ZodType<ReceivedCode>;
const text = z.string().max(1000);
// Milliseconds since the epoch, up to the year 9999.
const timestampMs = z.number().min(0).max(253_402_300_799_999);

const wireValueSchema: z.ZodType<WireValue> = z.union([
  z.boolean(),
  z.number(),
  z.string(),
  z.strictObject({ long: z.string().regex(/^-?\d{1,19}$/) }),
  z.strictObject({ number: z.enum(['NaN', 'Infinity', '-Infinity', '-0']) }),
  z.strictObject({ bytes: z.base64() }),
]);

const cursor = z.int().min(0);

const wireWriteSchema: z.ZodType<BundleWrite<WireValue>> = z.strictObject({
  name,
  type: name,
  value: wireValueSchema,
  ifValue: wireValueSchema.optional(),
});

// As StatusCodes of OPC UA are named, or the codes of the gateway.
const status = z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/);

const failureSchema = z.strictObject({ code, message: text, status: status.optional() });

/** Calls from a bundle to the gateway: schemas of the parameters, by method. */
export const BUNDLE_CALLS = {
  /** Reads channels of an asset; without names, all that can be read. */
  'assets.read': z.strictObject({
    asset: name,
    channels: boundedArray(name, MAXIMUM_CHANNELS).optional(),
  }),
  'assets.write': z.strictObject({
    asset: name,
    channels: boundedArray(wireWriteSchema, MAXIMUM_CHANNELS),
    /** The same key and write get the first outcome again. */
    key: z
      .string()
      .regex(/^[\x21-\x7e]{1,128}$/)
      .optional(),
  }),
  /** Cursor of the newest entry of the journal. */
  'journal.tail': z.strictObject({ recorder: name }),
  /** Cursor of the last entry that the bundle has acknowledged. */
  'journal.acknowledged': z.strictObject({ recorder: name }),
  'journal.read': z.strictObject({
    recorder: name,
    after: cursor.optional(),
    limit: z.int().min(1).max(MAXIMUM_BATCH).optional(),
    waitMs: z.number().min(0).max(MAXIMUM_JOURNAL_WAIT_MS).optional(),
  }),
  'journal.acknowledge': z.strictObject({ recorder: name, cursor }),
  /** All recorders that the bundle reads from now on. */
  'journal.declare': z.strictObject({ recorders: boundedArray(name, MAXIMUM_RECORDERS) }),
  /** Lists the channels that a recorder takes, in pages. */
  'journal.channels': z.strictObject({
    recorder: name,
    from: z.int().min(0).optional(),
    /** Revision of a list that the bundle has already. */
    known: name.optional(),
  }),
  /** Registers a driver type; both schemas are JSON Schema documents. */
  'driver.register': z.strictObject({ type: name, settings: z.unknown(), address: z.unknown() }),
  /** Registers an authentication provider; it receives only these headers of a request. */
  'provider.register': z.strictObject({
    provider: z.int().min(1),
    priority: z.int().min(0).max(1_000_000),
    deadlineMs: z.int().min(1).max(5000).optional(),
    headers: boundedArray(z.string().regex(/^[a-z0-9-]{1,64}$/), 16),
  }),
} as const;
export type BundleCall = keyof typeof BUNDLE_CALLS;
export type BundleCallParams<M extends BundleCall> = z.infer<(typeof BUNDLE_CALLS)[M]>;

const scalar = z.union([z.string().max(1000), z.number(), z.boolean(), z.null()]);

/** Notifications from a bundle to the gateway: schemas of the parameters, by method. */
export const BUNDLE_NOTIFICATIONS = {
  log: z.strictObject({
    level: z.enum(['debug', 'info', 'warn', 'error']),
    message: z.string(),
    fields: z.record(z.string().max(64), scalar).optional(),
  }),
  /** Replaces what is shown of the bundle. */
  status: z.strictObject({
    state: z.enum(['OK', 'WARNING', 'ERROR']),
    detail: z.string().max(200).optional(),
    de: z.strictObject({ detail: z.string().max(200) }).optional(),
    counters: z
      .record(z.string().regex(/^[a-z][A-Za-z0-9]{0,47}$/), z.number())
      .refine((counters) => Object.keys(counters).length <= 32, 'at most 32 counters')
      .optional(),
    checks: boundedArray(
      z.strictObject({
        name: z.string().min(1).max(100),
        state: z.enum(['OK', 'WARNING', 'ERROR']),
        detail: z.string().max(200),
        remedy: z.string().max(200).optional(),
        de: z
          .strictObject({
            name: z.string().max(100).optional(),
            detail: z.string().max(200).optional(),
            remedy: z.string().max(200).optional(),
          })
          .optional(),
      }),
      MAXIMUM_CHECKS,
    ).optional(),
  }),
  /** The driver lost its link outside of a call. */
  'driver.lost': z.strictObject({ instance: z.int().min(1), message: text }),
} as const;
export type BundleNotification = keyof typeof BUNDLE_NOTIFICATIONS;
export type BundleNotificationParams<M extends BundleNotification> = z.infer<
  (typeof BUNDLE_NOTIFICATIONS)[M]
>;

/** Schemas of the responses of a bundle, by method; `undefined` is sent as a missing field. */
export const BUNDLE_RESULTS = {
  activate: z.unknown(),
  deactivate: z.unknown(),
  ping: z.unknown(),
  'settings.changed': z.unknown(),
  'driver.connect': z.unknown(),
  'driver.disconnect': z.unknown(),
  /** One element per channel, in their order. */
  'driver.read': boundedArray(
    z.union([
      z.strictObject({
        value: wireValueSchema,
        timestampMs: timestampMs.optional(),
        quality: z.enum(['GOOD', 'UNCERTAIN']).optional(),
        status: status.optional(),
      }),
      z.strictObject({ failure: failureSchema, timestampMs: timestampMs.optional() }),
    ]),
    MAXIMUM_CHANNELS,
  ),
  /** One element per request, in their order. */
  'driver.write': boundedArray(
    z.strictObject({
      failure: failureSchema.optional(),
      /** Outcome of a write with a failure. */
      outcome: driverOutcome.optional(),
      /** Without a failure: the value was sent where the protocol has no confirmation. */
      isUnconfirmed: z.boolean().optional(),
      timestampMs: timestampMs.optional(),
    }),
    MAXIMUM_CHANNELS,
  ),
  /** Name of the identity; null: not authenticated. */
  'provider.authenticate': name.nullable(),
} as const;
export type GatewayCall = keyof typeof BUNDLE_RESULTS;
export type BundleResult<M extends GatewayCall> = z.infer<(typeof BUNDLE_RESULTS)[M]>;

/** Version of the protocol; a runner activates a bundle only when it has the same version. */
export const PROTOCOL_VERSION = 2;

/** A channel in messages to the driver of a bundle. */
export interface WireChannel {
  readonly name: string;
  readonly valueType: string;
  readonly address: unknown;
}

/** Calls from the gateway to a bundle: parameters, by method. */
export interface GatewayCallParams {
  readonly activate: { readonly protocol: number; readonly context: ActivationContext };
  readonly deactivate: Record<string, never>;
  readonly ping: Record<string, never>;
  readonly 'settings.changed': { readonly settings: Readonly<Record<string, unknown>> };
  readonly 'driver.connect': {
    readonly instance: number;
    readonly type: string;
    readonly settings: unknown;
  };
  readonly 'driver.disconnect': { readonly instance: number };
  readonly 'driver.read': { readonly instance: number; readonly channels: readonly WireChannel[] };
  readonly 'driver.write': {
    readonly instance: number;
    readonly requests: readonly { readonly channel: WireChannel; readonly value: WireValue }[];
  };
  readonly 'provider.authenticate': { readonly provider: number; readonly request: WireCredentials };
}

/** Description of the bundle that is activated. */
export interface ActivationContext {
  readonly name: string;
  readonly version: string;
  readonly gateway: { readonly name: string };
  /** Valid, with defaults. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly directory: string;
  readonly dataDirectory: string;
  /** Absolute path of the module that exports `activate`. */
  readonly main: string;
}

/** Parts of a request that a provider receives. */
export interface WireCredentials {
  readonly remoteAddress: string;
  readonly certificateCommonNames?: readonly string[] | undefined;
  /** Headers that the provider named and the request has, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Notifications from the gateway to a bundle: parameters, by method. */
export interface GatewayNotificationParams {
  readonly 'provider.enabled': { readonly provider: number };
  readonly 'provider.disabled': { readonly provider: number };
}

/** Result of reading or writing one channel, in messages to a bundle. */
export type WireRecord = BundleRecord<WireValue>;

/**
 * Checks a value that a bundle sent against its schema.
 *
 * @throws {BundleError} `BUNDLE_PROTOCOL_VIOLATED` when it does not match
 */
export function checkMessage<T>(schema: z.ZodType<T>, method: string, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue?.path.map(String).join('.') ?? '';
  const detail = `${method}: ${where === '' ? '' : `${where}: `}${issue?.message ?? 'not understood'}`;
  throw new BundleError('BUNDLE_PROTOCOL_VIOLATED', detail.slice(0, 500));
}
