import { z } from '../base/schema.ts';
import { BundleError } from './bundle-error.ts';
import type { WireValue } from './wire-value.ts';

/** Most channels in one message. */
export const MAXIMUM_CHANNELS = 2000;

// Counted before anything is checked: a hostile list must not cost a check of each of its elements.
function boundedArray<T>(element: z.ZodType<T>, maximum: number) {
  return z
    .custom<unknown[]>((value) => Array.isArray(value) && value.length <= maximum, `at most ${maximum} items`)
    .pipe(z.array(element));
}

const name = z.string().min(1).max(255);
const code = z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/);
const text = z.string().max(1000);
// Milliseconds since the epoch, up to the year 9999.
const timestampMs = z.number().min(0).max(253_402_300_799_999);

const wireValueSchema: z.ZodType<WireValue> = z.union([
  z.boolean(),
  z.number(),
  z.string(),
  z.strictObject({ long: z.string().regex(/^-?\d{1,19}$/) }),
  z.strictObject({ number: z.enum(['NaN', 'Infinity', '-Infinity']) }),
  z.strictObject({ bytes: z.base64() }),
]);

const failureSchema = z.strictObject({ code, message: text });

/** What a bundle asks the gateway for: its parameters, by method. */
export const BUNDLE_CALLS = {
  /** Reads channels of an asset; all that can be read when none is named. */
  'assets.read': z.strictObject({
    asset: name,
    channels: boundedArray(name, MAXIMUM_CHANNELS).optional(),
  }),
  'assets.write': z.strictObject({
    asset: name,
    channels: boundedArray(z.strictObject({ name, type: name, value: wireValueSchema }), MAXIMUM_CHANNELS),
  }),
  /** Offers a kind of driver; both schemas are JSON Schema documents. */
  'driver.register': z.strictObject({ type: name, settings: z.unknown(), address: z.unknown() }),
  /** Offers an authentication provider; it is shown these header fields of a request and no others. */
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

/** What a bundle tells the gateway without wanting an answer: its parameters, by method. */
export const BUNDLE_NOTES = {
  log: z.strictObject({
    level: z.enum(['debug', 'info', 'warn', 'error']),
    message: z.string(),
    fields: z.record(z.string().max(64), scalar).optional(),
  }),
  /** The link of a driver was lost while nobody asked. */
  'driver.lost': z.strictObject({ instance: z.int().min(1), message: text }),
} as const;
export type BundleNote = keyof typeof BUNDLE_NOTES;
export type BundleNoteParams<M extends BundleNote> = z.infer<(typeof BUNDLE_NOTES)[M]>;

/** What a bundle answers to the gateway, by method; `undefined` travels as a field that is missing. */
export const BUNDLE_RESULTS = {
  activate: z.unknown(),
  deactivate: z.unknown(),
  ping: z.unknown(),
  'driver.connect': z.unknown(),
  'driver.disconnect': z.unknown(),
  /** One element per channel, in their order. */
  'driver.read': boundedArray(
    z.union([
      z.strictObject({ value: wireValueSchema, timestampMs: timestampMs.optional() }),
      z.strictObject({ failure: failureSchema, timestampMs: timestampMs.optional() }),
    ]),
    MAXIMUM_CHANNELS,
  ),
  /** One element per request, in their order. */
  'driver.write': boundedArray(
    z.strictObject({ failure: failureSchema.optional(), timestampMs: timestampMs.optional() }),
    MAXIMUM_CHANNELS,
  ),
  /** Name of the identity; null: no. */
  'provider.authenticate': name.nullable(),
} as const;
export type GatewayCall = keyof typeof BUNDLE_RESULTS;
export type BundleResult<M extends GatewayCall> = z.infer<(typeof BUNDLE_RESULTS)[M]>;

/** Version of all of this; a bundle is activated only by a runner that speaks the same. */
export const PROTOCOL_VERSION = 1;

/** A channel as the driver of a bundle sees it. */
export interface WireChannel {
  readonly name: string;
  readonly valueType: string;
  readonly address: unknown;
}

/** What the gateway asks a bundle for: its parameters, by method. */
export interface GatewayCallParams {
  readonly activate: { readonly protocol: number; readonly context: ActivationContext };
  readonly deactivate: Record<string, never>;
  readonly ping: Record<string, never>;
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

/** What a bundle learns of itself. */
export interface ActivationContext {
  readonly name: string;
  readonly version: string;
  readonly directory: string;
  readonly dataDirectory: string;
  /** Module with `activate`, as an absolute path. */
  readonly main: string;
}

/** The part of a request that a provider is shown. */
export interface WireCredentials {
  readonly remoteAddress: string;
  readonly certificateCommonNames?: readonly string[] | undefined;
  /** Those that the provider named and the request has, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What the gateway tells a bundle without wanting an answer. */
export interface GatewayNoteParams {
  readonly 'provider.enabled': { readonly provider: number };
  readonly 'provider.disabled': { readonly provider: number };
}

/** One record of a read or write, as a bundle gets it. */
export interface WireRecord {
  readonly name: string;
  readonly valueType?: string | undefined;
  readonly value?: WireValue | undefined;
  readonly timestampMs: number;
  readonly failure?: { readonly code: string; readonly message: string } | undefined;
}

/**
 * Checks what a bundle sent.
 *
 * @throws {BundleError} `BUNDLE_PROTOCOL_VIOLATED` when it has another shape
 */
export function checkMessage<T>(schema: z.ZodType<T>, method: string, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue?.path.map(String).join('.') ?? '';
  const detail = `${method}: ${where === '' ? '' : `${where}: `}${issue?.message ?? 'not understood'}`;
  throw new BundleError('BUNDLE_PROTOCOL_VIOLATED', detail.slice(0, 500));
}
