/** English sentences of errors in the managed configuration as a whole, by their code. */
export const CONFIGURATION_FAULTS = {
  PARAMETERS_WITHOUT_TEMPLATE: 'parameters require a template',
  TEMPLATE_OF_OTHER_TYPE:
    'template "{template}" is for driver type {wanted}; the driver of the asset has type {type}',
  SECRET_NOT_STORED: 'no stored secret to keep; expected the secret itself',
  SECRET_OF_OTHER_DRIVER_TARGET:
    'the address or protection of this driver changed ({changed}): enter the {secret} again',
  SECRET_OF_OTHER_BUNDLE_TARGET:
    'the address or protection of this bundle changed ({changed}): enter the {secret} again',
  EXPECTED_AT_MOST_KEYS: 'expected at most {bound} keys',
  TEMPLATES_TOO_LARGE: 'the templates of all assets create more than {bound} channels',
  EXPECTED_LIST: 'expected a list',
  EXPECTED_ITEM_WITH_PID: 'expected an item with a pid',
  EXPECTED_PID_OF_ITEM: 'expected a pid',
  STORED_OF_OTHER_RELEASE:
    'the stored configuration does not match this release; define the named items in a file in provision.d, which replaces them, or reinstall the previous release or package',
} as const;
