@echo off
rem Runs each program once: bills a sample, converts it, and asks this Windows what it can record.
setlocal
cd /d "%~dp0"
set failed=0
perftab-analyze --csv --by thread --with-idle thread samples\etw\good-basic.etl >selftest-bill.csv
if not %errorlevel%==0 set failed=1
perftab-convert --force --verify samples\etw\good-basic.etl -o selftest.db
if not %errorlevel%==0 set failed=1
perftab-analyze --csv --by thread --with-idle thread selftest.db >selftest-stored.csv
if not %errorlevel%==0 set failed=1
fc /b selftest-bill.csv selftest-stored.csv >nul
if not %errorlevel%==0 set failed=1
if %failed%==0 (echo bills: good) else (echo bills: FAILED)
del selftest.db selftest-bill.csv selftest-stored.csv 2>nul
perftab-capture --selftest
if not %errorlevel%==0 set failed=1
exit /b %failed%
