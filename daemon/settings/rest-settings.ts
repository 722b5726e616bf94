import { z } from '../base/schema.ts';
import { jwtSettingsShape } from './token-settings.ts';

const seconds = z.int().min(1).max(31_536_000);
const port = z.int().min(1).max(65_535);

/** Settings of the REST interface that change while the gateway runs; each acts on the next request. */
export const restSettingsSchema = z.strictObject({
  allowedPorts: z.array(port).default([]).describe('Ports that answer REST requests; empty: all'),
  passwordAuthenticationEnabled: z.boolean().default(true).describe('Built-in password authentication'),
  certificateAuthenticationEnabled: z.boolean().default(true).describe('Built-in certificate authentication'),
  sessionBasedAuthenticationEnabled: z
    .boolean()
    .default(true)
    .describe('Session endpoints and cookie sessions'),
  sessionInactivityIntervalSeconds: seconds
    .default(900)
    .describe('A session without a request for so many seconds expires'),
  basicAuthenticationEnabled: z.boolean().default(false).describe('BASIC credentials on resource requests'),
  statelessCertificateAuthenticationEnabled: z
    .boolean()
    .default(false)
    .describe('Client certificates on resource requests, without a session'),
  ...jwtSettingsShape,
  recordDetails: z
    .boolean()
    .default(true)
    .describe(
      'Members beside those of Kura in records of assets and identities; false for clients that read strictly',
    ),
});
export type RestSettings = Readonly<z.infer<typeof restSettingsSchema>>;

// Prose may break lines, and join or part letters as Persian and emoji do; nothing may turn its direction around.
const UNSHOWN = /(?![\t\n\r\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/u;

const banner = z.strictObject({
  enabled: z.boolean().default(false),
  message: z
    .string()
    .max(4096)
    .refine((text) => !UNSHOWN.test(text), 'expected lines of visible characters')
    .default(''),
});

/** Texts shown before and after login. */
export const bannersSchema = z.strictObject({
  preLogin: banner.prefault({}).describe('Shown by authenticationInfo'),
  postLogin: banner.prefault({}).describe('Shown in the answer of a login'),
});
export type Banners = Readonly<z.infer<typeof bannersSchema>>;

/** Requirements on a new password. */
export const passwordStrengthSchema = z.strictObject({
  minimumLength: z.int().min(1).max(255).default(8).describe('Characters'),
  requireDigits: z.boolean().default(false),
  requireSpecialCharacters: z
    .boolean()
    .default(false)
    .describe('A character that is neither letter nor digit'),
  requireBothCases: z.boolean().default(false).describe('An upper-case and a lower-case letter'),
});
export type PasswordStrength = Readonly<z.infer<typeof passwordStrengthSchema>>;
