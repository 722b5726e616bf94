import { NotAuthenticated } from '../../../base/errors.ts';

/**
 * The password is right, but the code of the second factor is missing (`SECOND_FACTOR_NEEDED`), or wrong or used
 * (`SECOND_FACTOR_WRONG`): the client has to ask for one.
 */
export class SecondFactorRefused extends NotAuthenticated {}

/** Creates the refusal of an attempt without a code. */
export function createSecondFactorNeeded(): SecondFactorRefused {
  const detail = 'a second-factor code is required';
  return new SecondFactorRefused({ code: 'SECOND_FACTOR_NEEDED', detail });
}

/** Creates the refusal of a code. */
export function createSecondFactorWrong(): SecondFactorRefused {
  const detail = 'the second-factor code is incorrect or already used';
  return new SecondFactorRefused({ code: 'SECOND_FACTOR_WRONG', detail });
}
