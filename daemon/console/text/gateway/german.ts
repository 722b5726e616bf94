/** German words for everything that the gateway reports. Loaded together on demand: one module becomes one file, and one request. */
export { GERMAN_CAUSES as causes } from './cause-messages.ts';
export { GERMAN_FAULTS as faults, GERMAN_KINDS as kinds } from './faults.ts';
export { GERMAN_FINDINGS as findings } from './findings.ts';
export { GERMAN_GATEWAY_CAUSES as gatewayCauses } from './gateway-causes.ts';
export { GERMAN_MESSAGES as messages } from './gateway-messages.ts';
export { GERMAN_STATUSES as statuses } from './opcua-statuses.ts';
export { GERMAN_REFUSALS as refusals } from './refusal-causes.ts';
