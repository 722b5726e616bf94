import { checkPlant } from '../plant/asset/plant-config.ts';
import type { FormerCheck, Plant } from '../plant/asset/plant-config.ts';
import { checkBundles } from './bundle-section.ts';
import type { ConfigurableBundle } from './bundle-section.ts';
import { findRecorderFaults } from './recorder-check.ts';
import { createHintingCheck } from '../base/key/key-hint.ts';
import { z } from '../base/schema.ts';
import type { Checked } from '../base/schema.ts';
import type { Slices } from '../base/slices.ts';
import type { DriverFactory } from '../channel/driver.ts';
import { bundlesSchema } from '../settings/bundle-settings.ts';
import type { BundleSettingsItem } from '../settings/bundle-settings.ts';
import { recordersSchema, recordingSchema } from '../settings/recorder-settings.ts';
import type { RecorderSettings, RecordingSettings } from '../settings/recorder-settings.ts';
import { bannersSchema, passwordStrengthSchema, restSettingsSchema } from '../settings/rest-settings.ts';
import type { Banners, PasswordStrength, RestSettings } from '../settings/rest-settings.ts';
import {
  checkTokenSettings,
  tokenIssuingServicesSchema,
  tokenVerificationServicesSchema,
} from '../settings/token-settings.ts';
import type { TokenIssuingService, TokenVerificationService } from '../settings/token-settings.ts';

/** Sections that are one object with a value per key. */
export const OBJECT_SECTIONS = ['rest', 'banners', 'passwordStrength', 'recording'] as const;

/** Sections that are a list of items, each with a `pid`. */
export const LIST_SECTIONS = [
  'tokenIssuingServices',
  'tokenVerificationServices',
  'drivers',
  'assets',
  'recorders',
  'bundles',
] as const;

/** A document of the managed configuration as it is stored: plain JSON, without the defaults. */
export type ManagedDocument = Readonly<Record<string, unknown>>;

/** Managed configuration after a complete check. */
export interface ManagedConfiguration {
  readonly rest: RestSettings;
  readonly banners: Banners;
  readonly passwordStrength: PasswordStrength;
  readonly tokenIssuingServices: readonly TokenIssuingService[];
  readonly tokenVerificationServices: readonly TokenVerificationService[];
  readonly recording: RecordingSettings;
  readonly recorders: readonly RecorderSettings[];
  readonly bundles: readonly BundleSettingsItem[];
  readonly plant: Plant;
}

// The content of drivers and assets is checked against the schemas of the drivers.
const documentSchema = z.strictObject({
  rest: restSettingsSchema.prefault({}),
  banners: bannersSchema.prefault({}),
  passwordStrength: passwordStrengthSchema.prefault({}),
  tokenIssuingServices: tokenIssuingServicesSchema,
  tokenVerificationServices: tokenVerificationServicesSchema,
  recording: recordingSchema.prefault({}),
  recorders: recordersSchema,
  bundles: bundlesSchema,
  drivers: z.unknown().optional(),
  assets: z.unknown().optional(),
});

/** What a document is checked with, besides the driver types. */
export interface DocumentCheck extends FormerCheck {
  /** Installed bundles that have settings. */
  readonly bundles?: readonly ConfigurableBundle[] | undefined;
}

const checkSections = createHintingCheck(documentSchema);

/**
 * Checks a document of the managed configuration as a whole.
 *
 * @param factories all driver types
 * @param value plain data; every section may be absent; every asset has all its channels
 * @param options bundles; and see {@link checkPlant}
 * @returns the configuration with all defaults filled in, or all errors of all sections
 */
export function* checkDocument(
  factories: readonly DriverFactory[],
  value: unknown,
  { bundles = [], ...before }: DocumentCheck = {},
): Slices<Checked<ManagedConfiguration>> {
  const sections = checkSections(value);
  const document = isDocument(value) ? value : {};
  const plant = yield* checkPlant(factories, document, before);
  if (sections.faults !== undefined || plant.faults !== undefined) {
    return { faults: [...(sections.faults ?? []), ...(plant.faults ?? [])] };
  }
  const ofBundles = checkBundles(bundles, sections.value.bundles);
  const faults = [
    ...checkTokenSettings(sections.value),
    ...(yield* findRecorderFaults(sections.value.recorders, plant.value)),
    ...ofBundles.faults,
  ];
  if (faults.length > 0) return { faults };
  return { value: { ...withoutPlant(sections.value), bundles: ofBundles.items, plant: plant.value } };
}

function withoutPlant({
  drivers: _drivers,
  assets: _assets,
  ...sections
}: z.infer<typeof documentSchema>): Omit<z.infer<typeof documentSchema>, 'drivers' | 'assets'> {
  return sections;
}

/** True for an object with keys; false for a list, null or a primitive value. */
export function isDocument(value: unknown): value is ManagedDocument {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the name of an item of a list; undefined where it has none. */
export function nameOf(item: unknown): unknown {
  return isDocument(item) ? (item['pid'] ?? item['name']) : undefined;
}
