// Node-RED by itself: no catalogue of nodes from elsewhere, no questions, no telemetry.
module.exports = {
  uiHost: '127.0.0.1',
  flowFile: 'flows.json',
  logging: { console: { level: 'warn' } },
  telemetry: { enabled: false, updateNotification: false },
  externalModules: { palette: { allowInstall: false, allowUpload: false } },
  editorTheme: { tours: false, palette: { editable: false }, codeEditor: { lib: 'ace' } },
};
