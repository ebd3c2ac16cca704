// What can be seen of user, device and place, in a document and in a worker alike.
function look() {
  const intl = Intl.DateTimeFormat().resolvedOptions()
  const media = query => self.matchMedia ? matchMedia(query).matches : null
  return {
    userAgent: navigator.userAgent,
    platform: navigator.platform,
    brands: navigator.userAgentData ? navigator.userAgentData.brands.map(b => b.brand + '/' + b.version) : null,
    uaPlatform: navigator.userAgentData ? navigator.userAgentData.platform : null,
    mobile: navigator.userAgentData ? navigator.userAgentData.mobile : null,
    languages: [...navigator.languages],
    timezone: intl.timeZone,
    locale: intl.locale,
    number: (1234.5).toLocaleString(),
    online: navigator.onLine,
    width: self.innerWidth,
    height: self.innerHeight,
    ratio: self.devicePixelRatio,
    screen: self.screen ? [screen.width, screen.height] : null,
    touch: 'ontouchstart' in self,
    coarse: media('(pointer: coarse)'),
    dark: media('(prefers-color-scheme: dark)'),
    still: media('(prefers-reduced-motion: reduce)'),
  }
}
