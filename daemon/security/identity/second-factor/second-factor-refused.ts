import { NotAuthenticated } from '../../../base/errors.ts';

/**
 * The password is correct, but the second-factor code is missing (`SECOND_FACTOR_NEEDED`), or wrong or already used
 * (`SECOND_FACTOR_WRONG`): the client must prompt for a code.
 */
export class SecondFactorRefused extends NotAuthenticated {}

/** Creates the error for a missing code. */
export function createSecondFactorNeeded(): SecondFactorRefused {
  const detail = 'a second-factor code is required';
  return new SecondFactorRefused({ code: 'SECOND_FACTOR_NEEDED', detail });
}

/** Creates the error for a rejected code. */
export function createSecondFactorWrong(): SecondFactorRefused {
  const detail = 'the second-factor code is incorrect or already used';
  return new SecondFactorRefused({ code: 'SECOND_FACTOR_WRONG', detail });
}
