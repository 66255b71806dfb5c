/** Node-RED's settings for the demo: nothing leaves this machine, and nothing but the demo is kept. */
module.exports = {
  flowFile: 'flows.json',
  credentialSecret: false,
  uiHost: '127.0.0.1',
  telemetry: { enabled: false },
  externalModules: { autoInstall: false, palette: { allowInstall: false } },
  editorTheme: {
    page: { title: 'envlog demo' },
    header: { title: 'envlog demo' },
    tours: false,
    projects: { enabled: false },
    palette: { catalogues: [] },
  },
  logging: { console: { level: 'info', metrics: false, audit: false } },
}
