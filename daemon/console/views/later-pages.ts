// What the overview does not need: one file, which comes after the first page is shown.
export { AccessPage } from './access/access-page.tsx';
export { AssetsPage } from './assets/assets-page.tsx';
export { CommissionPage } from './commission/commission-page.tsx';
export { ConfigurationPage } from './configuration/configuration-page.tsx';
export { RecordPage } from './record/record-page.tsx';
export { SoftwarePage } from './software/software-page.tsx';
export { TrendsPage } from './trends/trends-page.tsx';
