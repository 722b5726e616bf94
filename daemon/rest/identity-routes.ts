import { z } from '../base/schema.ts';
import type { PasswordStrength } from '../settings/rest-settings.ts';
import { ok } from './answer.ts';
import { defineRoute } from './route.ts';
import type { Route } from './route.ts';

const passwordRequirements = z.strictObject({
  passwordMinimumLength: z.int(),
  passwordRequireDigits: z.boolean(),
  passwordRequireSpecialChars: z.boolean(),
  passwordRequireBothCases: z.boolean(),
});

/** Makes the endpoints about identities. */
export function createIdentityRoutes(passwordStrength: () => PasswordStrength): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/services/identity/v1/passwordRequirements',
      summary: 'Says what a new password has to have',
      access: 'ANYBODY',
      response: { status: 200, schema: passwordRequirements },
      handle() {
        const { minimumLength, requireDigits, requireSpecialCharacters, requireBothCases } =
          passwordStrength();
        return ok({
          passwordMinimumLength: minimumLength,
          passwordRequireDigits: requireDigits,
          passwordRequireSpecialChars: requireSpecialCharacters,
          passwordRequireBothCases: requireBothCases,
        });
      },
    }),
  ];
}
