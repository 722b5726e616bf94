/** English sentences of errors in identities, by their code. */
export const IDENTITY_FAULTS = {
  PASSWORD_NOT_TEXT: 'the password must be valid Unicode text',
  PASSWORD_BLANK: 'the password is blank',
  PASSWORD_TOO_LONG: 'the password must have at most {bound} characters',
  PASSWORD_TOO_SHORT: 'the password must have at least {bound} characters',
  PASSWORD_WITH_CONTROL_CHARACTER: 'the password must not contain control characters',
  PASSWORD_WITHOUT_DIGIT: 'the password must contain a digit',
  PASSWORD_WITHOUT_SPECIAL_CHARACTER:
    'the password must contain a character that is neither letter nor digit',
  PASSWORD_WITHOUT_BOTH_CASES: 'the password must contain an upper-case and a lower-case letter',
  PASSWORD_WITH_PRODUCT: 'the password must not contain {name}',
  PASSWORD_WITH_NAME: 'the password must not contain the name of the identity',
  PASSWORD_COMMON: 'the password is one of the most common passwords',
  PASSWORD_NOT_ALLOWED: 'a password is not allowed if passwordAuthEnabled is false',
  PASSWORD_NEEDED: 'passwordAuthEnabled requires a password; the identity has none',
  SECOND_FACTOR_NOT_SET:
    'secondFactorEnabled cannot be set: only the identity itself can set up a second factor',
  IDENTITY_NAME_UNSUITABLE:
    'an identity name must have 3 to 255 visible characters, without white space at the ends',
  EXPECTED_IDENTITY_NAME: 'expected a name of 3 to 255 visible characters, without white space at its ends',
  EXPECTED_PERMISSION: 'expected a permission such as rest.assets',
  PERMISSION_UNSUITABLE:
    'invalid permission {permission}: expected the form rest.<role>, or a defined permission',
  EXPECTED_PERMISSION_NAME:
    'expected a name of 3 to 255 characters: letters and digits, joined by single periods',
  PERMISSIONS_TOO_MANY: 'no more than {bound} permissions can be defined',
  PERMISSION_NOT_KNOWN: 'unknown permission {permission}',
} as const;
