import { createReason, sayReason } from '../base/fault-reason.ts';
import { SETTINGS_FAULTS } from './fault-sentences.ts';
import { z } from '../base/schema.ts';
import { jwtSettingsShape } from './token-settings.ts';

const seconds = z.int().min(1).max(31_536_000);
const port = z.int().min(1).max(65_535);

/** Settings of the REST interface that can be changed at runtime; effective from the next request. */
export const restSettingsSchema = z.strictObject({
  allowedPorts: z
    .array(port)
    .default([])
    .describe('Ports that accept REST requests, others respond with 404; empty: all'),
  passwordAuthenticationEnabled: z.boolean().default(true).describe('Built-in password authentication'),
  certificateAuthenticationEnabled: z.boolean().default(true).describe('Built-in certificate authentication'),
  sessionBasedAuthenticationEnabled: z
    .boolean()
    .default(true)
    .describe('Session endpoints and cookie sessions'),
  sessionInactivityIntervalSeconds: seconds
    .default(900)
    .describe('Seconds without a request after which a session expires'),
  basicAuthenticationEnabled: z
    .boolean()
    .default(false)
    .describe('BASIC credentials on resource requests; requires passwordAuthenticationEnabled'),
  statelessCertificateAuthenticationEnabled: z
    .boolean()
    .default(false)
    .describe(
      'Client certificates on resource requests, without a session; requires certificateAuthenticationEnabled',
    ),
  ...jwtSettingsShape,
  recordDetails: z
    .boolean()
    .default(true)
    .describe(
      'Additional members in records of assets and identities, besides those of Kura; false for strict clients',
    ),
});
export type RestSettings = Readonly<z.infer<typeof restSettingsSchema>>;

// Line breaks and the joiners of Persian and emoji are allowed, bidirectional controls are not.
const UNSHOWN = /(?![\t\n\r\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/u;

const banner = z.strictObject({
  enabled: z.boolean().default(false).describe('Shows the text'),
  message: z
    .string()
    .max(4096)
    .refine(
      (text) => !UNSHOWN.test(text),
      sayReason(createReason(SETTINGS_FAULTS, 'EXPECTED_VISIBLE_LINES', {})),
    )
    .default('')
    .describe('Text to show'),
});

/** Texts shown before and after login. */
export const bannersSchema = z.strictObject({
  preLogin: banner.prefault({}).describe('Shown by authenticationInfo'),
  postLogin: banner.prefault({}).describe('Shown in the response to a login'),
});
export type Banners = Readonly<z.infer<typeof bannersSchema>>;

/** Requirements on a new password. */
export const passwordStrengthSchema = z.strictObject({
  minimumLength: z.int().min(1).max(255).default(8).describe('Minimum number of characters'),
  requireDigits: z.boolean().default(false).describe('Requires a digit'),
  requireSpecialCharacters: z
    .boolean()
    .default(false)
    .describe('Requires a character that is neither letter nor digit'),
  requireBothCases: z.boolean().default(false).describe('Requires an upper-case and a lower-case letter'),
});
export type PasswordStrength = Readonly<z.infer<typeof passwordStrengthSchema>>;
