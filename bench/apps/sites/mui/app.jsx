// Material UI's components on one page.
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Accordion, AccordionDetails, AccordionSummary, Alert, AppBar, Autocomplete, Avatar, Badge, Box, Breadcrumbs, Button, Checkbox,
  Chip, Dialog, DialogActions, DialogContent, DialogTitle, Drawer, Fab, FormControl, FormControlLabel, FormLabel, IconButton, InputLabel,
  LinearProgress, Link, List, ListItem, ListItemButton, ListItemText, Menu, MenuItem, Pagination, Paper, Radio, RadioGroup, Rating, Select,
  Slider, Snackbar, Stack, Step, StepLabel, Stepper, Switch, Tab, Table, TableBody, TableCell, TableHead, TablePagination, TableRow,
  TableSortLabel, Tabs, TextField, ToggleButton, ToggleButtonGroup, Toolbar, Tooltip, Typography } from '@mui/material';

const films = ['Alien', 'Brazil', 'Casablanca', 'Dune', 'Elle', 'Fargo'].map((label, at) => ({ label, year: 1980 + at }));

function App() {
  const [dialog, setDialog] = useState(false), [menu, setMenu] = useState(null), [tab, setTab] = useState(0), [bar, setBar] = useState(false);
  return (
    <Box>
      <AppBar position="static"><Toolbar><Typography variant="h6" component="h1" sx={{ flexGrow: 1 }}>Films</Typography>
        <IconButton aria-label="account" id="account" onClick={(e) => setMenu(e.currentTarget)}><Badge badgeContent={4} color="error"><Avatar>A</Avatar></Badge></IconButton>
      </Toolbar></AppBar>
      <Menu anchorEl={menu} open={!!menu} onClose={() => setMenu(null)}><MenuItem>Profile</MenuItem><MenuItem disabled>Billing</MenuItem><MenuItem>Log out</MenuItem></Menu>
      <Stack spacing={2} sx={{ p: 2, maxWidth: 600 }}>
        <Breadcrumbs aria-label="breadcrumb"><Link href="#">Home</Link><Typography>Films</Typography></Breadcrumbs>
        <Alert severity="warning">The <strong>archive</strong> is closed today.</Alert>
        <TextField label="Title" required helperText="As on the poster" /><TextField label="Plot" multiline rows={2} />
        <TextField label="Year" type="number" error helperText="Must be after 1895" />
        <Autocomplete id="film" options={films} renderInput={(params) => <TextField {...params} label="Film" />} />
        <Autocomplete multiple id="several" options={films} defaultValue={[films[1]]} renderInput={(params) => <TextField {...params} label="Several" />} />
        <FormControl><InputLabel id="genre-label">Genre</InputLabel><Select labelId="genre-label" id="genre" label="Genre" defaultValue="drama">
          <MenuItem value="drama">Drama</MenuItem><MenuItem value="comedy">Comedy</MenuItem></Select></FormControl>
        <FormControl><FormLabel id="sound">Sound</FormLabel><RadioGroup aria-labelledby="sound" defaultValue="Mono" row>
          {['Mono', 'Stereo'].map((v) => <FormControlLabel key={v} value={v} control={<Radio />} label={v} />)}</RadioGroup></FormControl>
        <FormControlLabel control={<Checkbox defaultChecked />} label="In colour" /><FormControlLabel control={<Checkbox indeterminate />} label="Subtitles" />
        <FormControlLabel control={<Switch />} label="Restored" /><Slider aria-label="Volume" defaultValue={30} /><Rating name="rating" defaultValue={3} />
        <ToggleButtonGroup value="left" aria-label="alignment"><ToggleButton value="left">Left</ToggleButton><ToggleButton value="right">Right</ToggleButton></ToggleButtonGroup>
        <Stack direction="row" spacing={1}><Chip label="new" onDelete={() => {}} /><Tooltip title="Add a film"><Fab color="primary">+</Fab></Tooltip>
          <Button variant="contained" id="open" onClick={() => setDialog(true)}>Lend</Button><Button id="notify" onClick={() => setBar(true)}>Notify</Button><Button disabled>Sell</Button></Stack>
        <LinearProgress variant="determinate" value={40} aria-label="Upload" />
        <Tabs value={tab} onChange={(_, v) => setTab(v)} aria-label="views"><Tab label="List" /><Tab label="Grid" /></Tabs>
        <Accordion><AccordionSummary>Credits</AccordionSummary><AccordionDetails>Everyone.</AccordionDetails></Accordion>
        <Stepper activeStep={1}><Step><StepLabel>Search</StepLabel></Step><Step><StepLabel>Lend</StepLabel></Step></Stepper>
        <List>{films.slice(0, 3).map((f) => <ListItem key={f.label} disablePadding><ListItemButton><ListItemText primary={f.label} secondary={f.year} /></ListItemButton></ListItem>)}</List>
        <Table aria-label="films"><TableHead><TableRow><TableCell><TableSortLabel active>Title</TableSortLabel></TableCell><TableCell align="right">Year</TableCell></TableRow></TableHead>
          <TableBody>{films.map((f) => <TableRow key={f.label}><TableCell component="th" scope="row">{f.label}</TableCell><TableCell align="right">{f.year}</TableCell></TableRow>)}</TableBody></Table>
        <TablePagination component="div" count={60} page={0} rowsPerPage={10} onPageChange={() => {}} /><Pagination count={6} />
      </Stack>
      <Dialog open={dialog} onClose={() => setDialog(false)}><DialogTitle>Lend a film</DialogTitle><DialogContent><TextField autoFocus label="To" /></DialogContent>
        <DialogActions><Button onClick={() => setDialog(false)}>Cancel</Button><Button onClick={() => setDialog(false)}>Lend it</Button></DialogActions></Dialog>
      <Snackbar open={bar} message="Noted" onClose={() => setBar(false)} autoHideDuration={60000} />
    </Box>
  );
}

createRoot(document.getElementById('root')).render(<App />);
