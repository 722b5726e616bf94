/**
 * Titles, models and sources of the device templates of the gateway and their parameters in German, by their
 * English words. Titles of documents stay as the manufacturer prints them, so that they can be found.
 */
export const GERMAN_TEMPLATES: Readonly<Record<string, string>> = {
  'Three-phase energy meter ABB B23 or B24': 'Dreiphasiger Energiezähler ABB B23 oder B24',
  'Barcode scanner that sends each code as a line': 'Barcode-Scanner, der jeden Code als Zeile sendet',
  'Three-phase energy meter EM340': 'Dreiphasiger Energiezähler EM340',
  'Frequency converter Danfoss VLT with the FC profile': 'Frequenzumrichter Danfoss VLT mit FC-Profil',
  'Three-phase energy meter Eastron SDM630': 'Dreiphasiger Energiezähler Eastron SDM630',
  'Boiler of the simulated plant, to try templates out':
    'Kessel der simulierten Anlage, um Vorlagen auszuprobieren',
  'Three-phase inverter Fronius GEN24 with floating-point models':
    'Dreiphasiger Wechselrichter Fronius GEN24 mit Gleitkomma-Modellen',
  'Solar inverter Huawei SUN2000': 'Solar-Wechselrichter Huawei SUN2000',
  'Power analyser UMG 96RM-EL': 'Netzanalysator UMG 96RM-EL',
  'Heat pump Lambda Eureka Luft': 'Wärmepumpe Lambda Eureka Luft',
  'Remote I/O Moxa ioLogik E1214 with 6 inputs and 6 relays':
    'Remote I/O Moxa ioLogik E1214 mit 6 Eingängen und 6 Relais',
  'Remote I/O Moxa ioLogik E1240 with 8 analog inputs':
    'Remote I/O Moxa ioLogik E1240 mit 8 analogen Eingängen',
  'Scale or balance with the command set MT-SICS, levels 0 and 1':
    'Waage mit dem Befehlssatz MT-SICS, Stufe 0 und 1',
  'Satellite receiver that sends NMEA 0183 sentences GGA and RMC':
    'Satellitenempfänger, der die NMEA-0183-Sätze GGA und RMC sendet',
  'Weather station that sends NMEA 0183 sentences MWV and MDA':
    'Wetterstation, die die NMEA-0183-Sätze MWV und MDA sendet',
  'Three-phase energy meter Acti 9 iEM3155': 'Dreiphasiger Energiezähler Acti 9 iEM3155',
  'Power supply with SCPI commands over a serial line':
    'Netzgerät mit SCPI-Befehlen über eine serielle Schnittstelle',
  'Power monitoring device SENTRON PAC4200': 'Multifunktionsmessgerät SENTRON PAC4200',
  'Heat pump with the manager WPM behind an Internet Service Gateway':
    'Wärmepumpe mit dem Manager WPM hinter einem Internet Service Gateway',
  'SunSpec model 701, AC measurements': 'SunSpec-Modell 701, AC-Messungen',
  'SunSpec model 702, capacity and ratings': 'SunSpec-Modell 702, Kapazität und Nennwerte',
  'SunSpec model 703, entering service': 'SunSpec-Modell 703, Zuschaltung',
  'SunSpec model 704, AC controls': 'SunSpec-Modell 704, AC-Steuerung',
  'SunSpec model 705, volt-var curves': 'SunSpec-Modell 705, Volt-Var-Kennlinien',
  'SunSpec model 706, volt-watt curves': 'SunSpec-Modell 706, Volt-Watt-Kennlinien',
  'SunSpec model 707 or 708, trip curves of low or high voltage':
    'SunSpec-Modell 707 oder 708, Auslösekennlinien bei Unter- oder Überspannung',
  'SunSpec model 709 or 710, trip curves of low or high frequency':
    'SunSpec-Modell 709 oder 710, Auslösekennlinien bei Unter- oder Überfrequenz',
  'SunSpec model 711, frequency droop': 'SunSpec-Modell 711, Frequenzstatik',
  'SunSpec model 712, watt-var curves': 'SunSpec-Modell 712, Watt-Var-Kennlinien',
  'SunSpec model 713, storage capacity': 'SunSpec-Modell 713, Speicherkapazität',
  'Inputs of an inverter with SunSpec model 160': 'Eingänge eines Wechselrichters mit SunSpec-Modell 160',
  'Inverter with a SunSpec integer model 101, 102 or 103':
    'Wechselrichter mit einem ganzzahligen SunSpec-Modell 101, 102 oder 103',
  'Inverter with a SunSpec floating-point model 111, 112 or 113':
    'Wechselrichter mit einem SunSpec-Gleitkomma-Modell 111, 112 oder 113',
  'Meter with a SunSpec integer model 201, 202, 203 or 204':
    'Zähler mit einem ganzzahligen SunSpec-Modell 201, 202, 203 oder 204',
  Boilers: 'Warmwasserspeicher',
  Buffers: 'Pufferspeicher',
  'Curves or controls': 'Kennlinien oder Steuerungen',
  'Heat pumps': 'Wärmepumpen',
  Inputs: 'Eingänge',
  'Address of the model': 'Adresse des Modells',
  'Points of a curve': 'Punkte einer Kennlinie',
  'Letter of the wind speed': 'Buchstabe der Windgeschwindigkeit',
  'Unit of the wind speed': 'Einheit der Windgeschwindigkeit',
  'PV strings': 'PV-Strings',
  'Unit ID': 'Unit-ID',
  'Unit of weight': 'Gewichtseinheit',
  'Letter of the unit of wind speed in the sentences: M, K or N':
    'Buchstabe der Einheit der Windgeschwindigkeit in den Sätzen: M, K oder N',
  'Unit of that letter: M is m/s, K is km/h, N is kn':
    'Einheit dieses Buchstabens: M ist m/s, K ist km/h, N ist kn',
  'Address of the first register of the model, which holds its number':
    'Adresse des ersten Registers des Modells, das seine Nummer enthält',
  'Number of PV strings that are read': 'Zahl der PV-Strings, die gelesen werden',
  'Number of boilers for hot water': 'Zahl der Warmwasserspeicher',
  'Number of buffers': 'Zahl der Pufferspeicher',
  'Number of curves or controls, which the model holds':
    'Zahl der Kennlinien oder Steuerungen, die das Modell enthält',
  'Number of heat pumps': 'Zahl der Wärmepumpen',
  'Number of inputs, which the ninth register of the model holds':
    'Zahl der Eingänge, die das neunte Register des Modells enthält',
  'Points of each curve, which the model holds': 'Punkte jeder Kennlinie, die das Modell enthält',
  'Unit identifier of the device': 'Unit-ID des Geräts',
  'Unit of the weights that the scale shows, as it sends it':
    'Einheit der Gewichte, die die Waage anzeigt, wie sie sie sendet',
  any: 'beliebiger Hersteller',
  'SUN2000, three-phase models': 'SUN2000, dreiphasige Modelle',
  'Symo GEN24, Tauro and inverters with a Datamanager, three-phase, SunSpec model type float':
    'Symo GEN24, Tauro und Wechselrichter mit Datamanager, dreiphasig, SunSpec-Modelltyp float',
  'VLT HVAC Drive FC 102, VLT Refrigeration Drive FC 103, VLT AQUA Drive FC 202, VLT AutomationDrive FC 301 and FC 302':
    'VLT HVAC Drive FC 102, VLT Refrigeration Drive FC 103, VLT AQUA Drive FC 202, VLT AutomationDrive FC 301 und FC 302',
  'WPMsystem, WPM 3 and WPM 3i with ISG web or ISG plus':
    'WPMsystem, WPM 3 und WPM 3i mit ISG web oder ISG plus',
  'inverters and batteries with models of IEEE 1547-2018':
    'Wechselrichter und Batterien mit Modellen nach IEEE 1547-2018',
  'inverters with floating-point models, whose map holds model 111, 112 or 113':
    'Wechselrichter mit Gleitkomma-Modellen, die Modell 111, 112 oder 113 enthalten',
  'inverters with integer models and scale factors':
    'Wechselrichter mit ganzzahligen Modellen und Skalierungsfaktoren',
  'inverters with several trackers or strings': 'Wechselrichter mit mehreren Trackern oder Strings',
  'meters with integer models and scale factors': 'Zähler mit ganzzahligen Modellen und Skalierungsfaktoren',
  'EU-L series': 'Baureihe EU-L',
  'GNSS receivers with NMEA 0183 output': 'GNSS-Empfänger mit Ausgabe nach NMEA 0183',
  'power supplies with one output and the SCPI class DC power supply':
    'Netzgeräte mit einem Ausgang und der SCPI-Klasse „DC power supply“',
  'scales, balances and weigh modules with MT-SICS; compatible ones of other vendors':
    'Waagen und Wägemodule mit MT-SICS, auch kompatible anderer Hersteller',
  'scanners with RS-232 or USB serial output and the suffix carriage return':
    'Scanner mit serieller Ausgabe über RS-232 oder USB und dem Suffix Wagenrücklauf',
  'weather stations with NMEA 0183 output': 'Wetterstationen mit Ausgabe nach NMEA 0183',
  'programming sheets of scanners, suffix CR': 'Programmierblätter der Scanner, Suffix CR',
  'EM300 Series and ET300 Series communication protocol, Version 2 Revision 17 (July 05, 2021)':
    'EM300 Series and ET300 Series communication protocol, Version 2, Revision 17 (05. Juli 2021)',
  'VLT Refrigeration Drive Design Guide, MG16G102, and VLT AQUA Drive FC 202 Design Guide, MG20Z102, Coil Register Addressing':
    'VLT Refrigeration Drive Design Guide, MG16G102, und VLT AQUA Drive FC 202 Design Guide, MG20Z102, Coil Register Addressing',
  'Penstock documentation, Modbus, Trying it without a device':
    'Dokumentation von Penstock, Seite „Modbus“, Abschnitt „Trying it without a device“',
  'Fronius GEN24 Modbus TCP & RTU operating instructions, 42,0410,2649, 030-18102023, Common and Inverter Model':
    'Fronius GEN24 Modbus TCP & RTU, Bedienungsanleitung 42,0410,2649, 030-18102023, Common and Inverter Model',
  'UMG 96RM-EL Modbus-address list and Formulary, document 1.040.109.4.h, frequently required readings':
    'UMG 96RM-EL Modbus-address list and Formulary, Dokument 1.040.109.4.h, frequently required readings',
  'Lambda: Modbus-Beschreibung und Protokoll, edition of February 2025':
    'Lambda: Modbus-Beschreibung und Protokoll, Ausgabe Februar 2025',
  'ioLogik E1200 Series User Manual, version 16.1 (April 2024), Appendix A':
    'ioLogik E1200 Series User Manual, Version 16.1 (April 2024), Anhang A',
  'NMEA 0183, version 4.10, sentences GGA and RMC': 'NMEA 0183, Version 4.10, Sätze GGA und RMC',
  'NMEA 0183, version 4.10, sentences MWV and MDA': 'NMEA 0183, Version 4.10, Sätze MWV und MDA',
  'SCPI-1999, volume 4, DC power supplies; IEEE 488.2-1992':
    'SCPI-1999, Band 4, DC power supplies; IEEE 488.2-1992',
  'SENTRON PAC4200 system manual, 09/2009, A5E02316180B-02, A.3 MODBUS':
    'SENTRON PAC4200, Systemhandbuch, 09/2009, A5E02316180B-02, A.3 MODBUS',
  'Software documentation Modbus TCP/IP: Software extension for Internet Service Gateway, DOC-00081716, WPM':
    'Softwaredokumentation Modbus TCP/IP: Softwareerweiterung für Internet Service Gateway, DOC-00081716, WPM',
  'SunSpec Information Model Reference, model 160, Multiple MPPT Inverter Extension':
    'SunSpec Information Model Reference, Modell 160, Multiple MPPT Inverter Extension',
  'SunSpec Information Model Reference, models 101 to 103, Inverter':
    'SunSpec Information Model Reference, Modelle 101 bis 103, Inverter',
  'SunSpec Information Model Reference, models 111 to 113, Inverter FLOAT':
    'SunSpec Information Model Reference, Modelle 111 bis 113, Inverter FLOAT',
  'SunSpec Information Model Reference, models 201 to 204, Meter':
    'SunSpec Information Model Reference, Modelle 201 bis 204, Meter',
  'SunSpec DER Information Model Specification, models 707 and 708':
    'SunSpec DER Information Model Specification, Modelle 707 und 708',
  'SunSpec DER Information Model Specification, models 709 and 710':
    'SunSpec DER Information Model Specification, Modelle 709 und 710',
  'SunSpec DER Information Model Specification, model 701':
    'SunSpec DER Information Model Specification, Modell 701',
  'SunSpec DER Information Model Specification, model 702':
    'SunSpec DER Information Model Specification, Modell 702',
  'SunSpec DER Information Model Specification, model 703':
    'SunSpec DER Information Model Specification, Modell 703',
  'SunSpec DER Information Model Specification, model 704':
    'SunSpec DER Information Model Specification, Modell 704',
  'SunSpec DER Information Model Specification, model 705':
    'SunSpec DER Information Model Specification, Modell 705',
  'SunSpec DER Information Model Specification, model 706':
    'SunSpec DER Information Model Specification, Modell 706',
  'SunSpec DER Information Model Specification, model 711':
    'SunSpec DER Information Model Specification, Modell 711',
  'SunSpec DER Information Model Specification, model 712':
    'SunSpec DER Information Model Specification, Modell 712',
  'SunSpec DER Information Model Specification, model 713':
    'SunSpec DER Information Model Specification, Modell 713',
};
