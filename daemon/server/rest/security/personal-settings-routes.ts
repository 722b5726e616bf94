import { check } from '../../../base/schema.ts';
import {
  personalSettings,
  readPersonalSettings,
  replacePersonalSettings,
} from '../../../interface/security/personal-settings.ts';
import type { PersonalSettings } from '../../../security/identity/personal-settings.ts';
import { noContent, ok } from '../../http/answer.ts';
import { implement } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';
import { callerOf } from '../caller.ts';

/** Creates the endpoints of an identity's own settings for the console. */
export function createPersonalSettingsRoutes(settings: PersonalSettings): readonly Route[] {
  return [
    implement(readPersonalSettings, (call) => {
      const text = settings.find(callerOf(call).identity);
      // What a later release has stored is not known here.
      return ok(check(personalSettings, JSON.parse(text ?? '{}')).value ?? {});
    }),
    implement(replacePersonalSettings, (call) => {
      settings.put(callerOf(call).identity, JSON.stringify(call.body));
      return noContent();
    }),
  ];
}
